//! Puts all mutants of a source file behind switches, so that one build has them all.
//!
//! `mutants instrument FILE FIRST [SKIP,…]` rewrites a file. Mutants are numbered from FIRST on,
//! and those in SKIP are left out. Each is printed: number, line, function and change, with tabs
//! between. `mutants blame FILE LINE COLUMN` prints the number of the mutant at a place of a
//! rewritten file, so that one that does not compile can be skipped.
//!
//! The environment decides at run time: with `MUTANT=7`, mutant 7 is on. With `MUTANT_TRACE=FILE`
//! none is, and each thread (of a test: named after the test) appends the mutants that it reaches.
//!
//! The changes are those of cargo-mutants (operators, match arms, guards, whole functions), and
//! literals: a number becomes larger, `true` becomes `false`. Operands are evaluated once and
//! bound, not copied into each mutant: nested expressions would double with each level.

use std::collections::BTreeSet;
use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, BinOp, Expr, ExprLit, ItemFn, Lit, Pat, ReturnType, Type, UnOp, parse_quote};

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["instrument", file, first] => instrument(file, first.parse()?, BTreeSet::new()),
        ["instrument", file, first, skip] => {
            let skip: Result<_, _> = skip.split(',').map(str::parse).collect();
            instrument(file, first.parse()?, skip?)
        }
        ["blame", file, line, column] => blame(file, line.parse()?, column.parse()?),
        _ => Err("usage: mutants instrument FILE FIRST [SKIP,…] | blame FILE LINE COLUMN".into()),
    }
}

fn instrument(path: &str, first: u32, skip: BTreeSet<u32>) -> Result<(), Error> {
    let mut file = syn::parse_file(&std::fs::read_to_string(path)?)?;
    let mut switches = Switches { next: first, skip, function: String::new() };
    switches.visit_file_mut(&mut file);
    file.items.push(syn::parse2(switch_module())?);
    std::fs::write(path, file.into_token_stream().to_string())?;
    Ok(())
}

/// The module that knows which mutant is on.
fn switch_module() -> TokenStream {
    quote! {
        #[allow(dead_code, clippy::all)]
        mod __mutant {
            use std::cell::RefCell;
            use std::io::Write;
            use std::sync::LazyLock;

            static ON: LazyLock<Option<u32>> =
                LazyLock::new(|| std::env::var("MUTANT").ok()?.parse().ok());
            static TRACE: LazyLock<Option<String>> =
                LazyLock::new(|| std::env::var("MUTANT_TRACE").ok());
            thread_local! {
                static SEEN: RefCell<Vec<bool>> = RefCell::new(Vec::new());
            }

            pub(super) fn on(mutant: u32) -> bool {
                match (*ON, &*TRACE) {
                    (Some(on), _) => on == mutant,
                    (None, Some(file)) => {
                        if SEEN.with(|seen| is_new(&mut seen.borrow_mut(), mutant as usize)) {
                            trace(file, mutant);
                        }
                        false
                    }
                    (None, None) => false,
                }
            }

            fn is_new(seen: &mut Vec<bool>, mutant: usize) -> bool {
                if seen.len() <= mutant {
                    seen.resize(mutant + 1, false);
                }
                !std::mem::replace(&mut seen[mutant], true)
            }

            fn trace(file: &str, mutant: u32) {
                let thread = std::thread::current();
                let line = format!("{}\t{mutant}\n", thread.name().unwrap_or("?"));
                let file = std::fs::OpenOptions::new().append(true).create(true).open(file);
                file.expect("a file").write_all(line.as_bytes()).expect("written");
            }
        }
    }
}

/// Replaces expressions by ones with switches.
struct Switches {
    next: u32,
    skip: BTreeSet<u32>,
    function: String,
}

impl Switches {
    /// The condition under which a new mutant is on; `None` if it is skipped.
    fn switch(&mut self, at: Span, change: impl Display) -> Option<TokenStream> {
        let number = self.next;
        self.next += 1;
        if self.skip.contains(&number) {
            return None;
        }
        println!("{number}\t{}\t{}\t{change}", at.start().line, self.function);
        Some(quote!(self::__mutant::on(#number)))
    }

    /// `original`, or one of `others` if its switch is on; `None` if all are skipped.
    fn choose(
        &mut self,
        at: Span,
        original: TokenStream,
        others: impl IntoIterator<Item = (String, TokenStream)>,
    ) -> Option<TokenStream> {
        let mut choices = TokenStream::new();
        for (change, other) in others {
            if let Some(on) = self.switch(at, change) {
                choices.extend(quote!(if #on { #other } else));
            }
        }
        (!choices.is_empty()).then(|| quote!(#choices { #original }))
    }

    fn function(&mut self, name: String, output: &ReturnType, block: &mut syn::Block) {
        let outer = std::mem::replace(&mut self.function, name);
        visit_mut::visit_block_mut(self, block);
        if !block.stmts.is_empty() && self.function != "default" {
            for value in values(output).into_iter().rev() {
                let change = format!("the whole function -> {value}");
                if let Some(on) = self.switch(block.span(), change) {
                    block.stmts.insert(0, parse_quote!(if #on { return #value; }));
                }
            }
        }
        self.function = outer;
    }

    fn binary(&mut self, binary: &syn::ExprBinary) -> Option<TokenStream> {
        let (left, op, right) = (&binary.left, &binary.op, &binary.right);
        let at = op.span();
        let others = operators(op);
        if others.is_empty() || has_let(left) || has_let(right) {
            return None;
        }
        let changes: Vec<String> =
            others.iter().map(|other| format!("{} -> {other}", op.to_token_stream())).collect();
        let others = others.into_iter().map(|other| {
            let other: BinOp = syn::parse_str(other).expect("an operator");
            if is_assignment(op) { quote!(#left #other __r) } else { quote!(__l #other __r) }
        });
        let others: Vec<(String, TokenStream)> = changes.into_iter().zip(others).collect();
        Some(match op {
            // The right side is evaluated only if it is needed, and stands there once.
            BinOp::And(_) => {
                let on = self.switch(at, &others[0].0)?;
                quote!((match #left { __l => if __l != #on { #right } else { __l } }))
            }
            BinOp::Or(_) => {
                let on = self.switch(at, &others[0].0)?;
                quote!((match #left { __l => if __l == #on { #right } else { __l } }))
            }
            _ if is_assignment(op) => {
                let choice = self.choose(at, quote!(#left #op __r), others)?;
                quote!((match #right { __r => { #choice } }))
            }
            _ if is_comparison(op) => {
                let choice = self.choose(at, quote!(__l #op __r), others)?;
                quote!((match (&(#left), &(#right)) { (__l, __r) => { #choice } }))
            }
            _ => {
                let choice = self.choose(at, quote!(__l #op __r), others)?;
                quote!((match (#left, #right) { (__l, __r) => { #choice } }))
            }
        })
    }

    fn unary(&mut self, unary: &syn::ExprUnary) -> Option<TokenStream> {
        let (op, operand) = (&unary.op, &unary.expr);
        if !matches!(op, UnOp::Not(_) | UnOp::Neg(_)) {
            return None;
        }
        let on = self.switch(op.span(), format!("{} deleted", op.to_token_stream()))?;
        Some(quote!((match #operand { __x => if #on { __x } else { #op __x } })))
    }

    fn literal(&mut self, literal: &ExprLit) -> Option<TokenStream> {
        let original = &literal.lit;
        let other: TokenStream = match original {
            Lit::Bool(value) => {
                let other = !value.value;
                quote!(#other)
            }
            Lit::Int(number) => {
                let larger = number.base10_parse::<u64>().ok()?.checked_add(1)?;
                format!("{larger}{}", number.suffix()).parse().ok()?
            }
            Lit::Float(number) => {
                let larger = number.base10_parse::<f64>().ok()? * 1.1 + 0.01;
                format!("{larger:?}{}", number.suffix()).parse().ok()?
            }
            _ => return None,
        };
        let change = format!("{} -> {other}", original.to_token_stream());
        let on = self.switch(literal.span(), change)?;
        Some(quote!((if #on { #other } else { #original })))
    }

    /// Arms that a last arm `_` would take over, and guards.
    fn arms(&mut self, arms: &mut [syn::Arm]) {
        let has_rest = arms.last().is_some_and(|arm| matches!(arm.pat, Pat::Wild(_)));
        for arm in arms {
            let is_rest = matches!(arm.pat, Pat::Wild(_)) && arm.guard.is_none();
            if (!has_rest && arm.guard.is_none()) || is_rest {
                continue;
            }
            let at = arm.pat.span();
            let pattern = arm.pat.to_token_stream().to_string();
            let Some((token, guard)) = arm.guard.take() else {
                if let Some(on) = self.switch(at, format!("arm {pattern} deleted")) {
                    arm.guard = Some((parse_quote!(if), parse_quote!(!#on)));
                }
                continue;
            };
            let mut guard = *guard;
            if let Some(on) = self.switch(at, format!("guard of {pattern} -> false")) {
                guard = parse_quote!((!#on && (#guard)));
            }
            if let Some(on) = self.switch(at, format!("guard of {pattern} -> true")) {
                guard = parse_quote!((#on || (#guard)));
            }
            arm.guard = Some((token, Box::new(guard)));
        }
    }
}

impl VisitMut for Switches {
    fn visit_item_mut(&mut self, item: &mut syn::Item) {
        match item {
            syn::Item::Fn(function) if !is_test(&function.attrs) => {
                self.visit_item_fn_mut(function)
            }
            syn::Item::Impl(block) if !is_test(&block.attrs) => {
                visit_mut::visit_item_impl_mut(self, block);
            }
            syn::Item::Trait(item) => visit_mut::visit_item_trait_mut(self, item),
            _ => {}
        }
    }

    fn visit_item_fn_mut(&mut self, function: &mut ItemFn) {
        if function.sig.constness.is_none() {
            let name = function.sig.ident.to_string();
            self.function(name, &function.sig.output, &mut function.block);
        }
    }

    fn visit_impl_item_mut(&mut self, item: &mut syn::ImplItem) {
        if let syn::ImplItem::Fn(function) = item
            && !is_test(&function.attrs)
            && function.sig.constness.is_none()
        {
            let name = function.sig.ident.to_string();
            self.function(name, &function.sig.output, &mut function.block);
        }
    }

    fn visit_trait_item_mut(&mut self, item: &mut syn::TraitItem) {
        if let syn::TraitItem::Fn(function) = item
            && let Some(block) = &mut function.default
        {
            self.function(function.sig.ident.to_string(), &function.sig.output, block);
        }
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            // The length of an array is constant; capacities change nothing that can be seen.
            Expr::Repeat(array) => return self.visit_expr_mut(&mut array.expr),
            Expr::Const(_) => return,
            Expr::Call(call) if is_capacity(&call.func) => return,
            _ => visit_mut::visit_expr_mut(self, expr),
        }
        let changed = match expr {
            Expr::Binary(binary) => self.binary(binary),
            Expr::Unary(unary) => self.unary(unary),
            Expr::Lit(literal) => self.literal(literal),
            Expr::Match(choice) => {
                self.arms(&mut choice.arms);
                None
            }
            _ => None,
        };
        if let Some(changed) = changed {
            *expr = Expr::Verbatim(changed);
        }
    }

    fn visit_pat_mut(&mut self, _: &mut Pat) {}
    fn visit_type_mut(&mut self, _: &mut Type) {}
    fn visit_attribute_mut(&mut self, _: &mut Attribute) {}
    fn visit_generic_argument_mut(&mut self, _: &mut syn::GenericArgument) {}
}

/// Whether an item is compiled only for tests.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let text = attribute.meta.to_token_stream().to_string();
        text == "test" || text == "cfg (test)"
    })
}

fn is_capacity(function: &Expr) -> bool {
    let Expr::Path(path) = function else { return false };
    path.path.segments.last().is_some_and(|last| last.ident == "with_capacity")
}

/// Whether a condition has `let` in a chain of `&&`, which is no expression of its own.
fn has_let(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

/// What cargo-mutants puts in place of an operator.
fn operators(op: &BinOp) -> Vec<&'static str> {
    match op {
        BinOp::Eq(_) => vec!["!="],
        BinOp::Ne(_) => vec!["=="],
        BinOp::Lt(_) => vec!["==", ">", "<="],
        BinOp::Gt(_) => vec!["==", "<", ">="],
        BinOp::Le(_) => vec![">", "<"],
        BinOp::Ge(_) => vec!["<", ">"],
        BinOp::And(_) => vec!["||"],
        BinOp::Or(_) => vec!["&&"],
        BinOp::Add(_) => vec!["-", "*"],
        BinOp::Sub(_) => vec!["+", "/"],
        BinOp::Mul(_) => vec!["+", "/"],
        BinOp::Div(_) => vec!["%", "*"],
        BinOp::Rem(_) => vec!["/", "+"],
        BinOp::Shl(_) => vec![">>"],
        BinOp::Shr(_) => vec!["<<"],
        BinOp::BitAnd(_) => vec!["|", "^"],
        BinOp::BitOr(_) => vec!["&", "^"],
        BinOp::BitXor(_) => vec!["|", "&"],
        BinOp::AddAssign(_) => vec!["-=", "*="],
        BinOp::SubAssign(_) => vec!["+=", "/="],
        BinOp::MulAssign(_) => vec!["+=", "/="],
        BinOp::DivAssign(_) => vec!["%=", "*="],
        BinOp::BitAndAssign(_) => vec!["|=", "^="],
        BinOp::BitOrAssign(_) => vec!["&=", "^="],
        BinOp::BitXorAssign(_) => vec!["|=", "&="],
        _ => Vec::new(),
    }
}

fn is_comparison(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Gt(_) | BinOp::Le(_) | BinOp::Ge(_)
    )
}

fn is_assignment(op: &BinOp) -> bool {
    op.to_token_stream().to_string().ends_with('=') && !is_comparison(op)
}

/// Values to return instead of calling a function, by its type. Some do not compile.
fn values(output: &ReturnType) -> Vec<TokenStream> {
    let ReturnType::Type(_, of_type) = output else { return vec![quote!(())] };
    let name = match &**of_type {
        Type::ImplTrait(_) | Type::Never(_) => return Vec::new(),
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        _ => None,
    };
    match name.as_deref() {
        Some("bool") => vec![quote!(true), quote!(false)],
        Some("u8" | "u16" | "u32" | "u64" | "usize" | "i32" | "i64") => vec![quote!(0), quote!(1)],
        Some("f32" | "f64") => vec![quote!(0.0), quote!(1.0)],
        Some("Option") => vec![quote!(None)],
        Some("Result") => vec![quote!(Ok(Default::default()))],
        _ => vec![quote!(Default::default())],
    }
}

fn blame(path: &str, line: usize, column: usize) -> Result<(), Error> {
    let file = syn::parse_file(&std::fs::read_to_string(path)?)?;
    // Columns of the compiler begin with 1.
    let mut search = Search { place: (line, column - 1), found: (usize::MAX, Vec::new()) };
    search.visit_file(&file);
    search.found.1.iter().for_each(|mutant| println!("{mutant}"));
    Ok(())
}

/// Finds the innermost expression with a switch around a place.
struct Search {
    place: (usize, usize),
    /// The size of the expression, and its mutants.
    found: (usize, Vec<u32>),
}

impl Search {
    /// The size of an expression with the place in it.
    fn size(&self, span: Span) -> Option<usize> {
        let (start, end) = (span.start(), span.end());
        let (from, to) = ((start.line, start.column), (end.line, end.column));
        let is_inside = from <= self.place && self.place < to;
        is_inside.then(|| span.byte_range().len())
    }
}

impl<'a> Visit<'a> for Search {
    fn visit_expr(&mut self, expr: &'a Expr) {
        if let Some(size) = self.size(expr.span())
            && size <= self.found.0
        {
            let mutants = own_switches(expr);
            if !mutants.is_empty() {
                self.found = (size, mutants);
            }
        }
        visit::visit_expr(self, expr);
    }
}

/// The mutants of an expression that begins with a switch, or that binds operands for some.
fn own_switches(expr: &Expr) -> Vec<u32> {
    match expr {
        Expr::If(choice) => switches_in(&choice.cond),
        Expr::Match(choice) if choice.arms.len() == 1 => switches_in(&choice.arms[0].body),
        _ => Vec::new(),
    }
}

fn switches_in(expr: &Expr) -> Vec<u32> {
    let text = expr.to_token_stream().to_string();
    let after = text.split("__mutant :: on (").skip(1);
    after
        .filter_map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok())
        .collect()
}
