"""Tables of records."""

from pathlib import Path

import pytest
import unmold

SHOP = Path(__file__).parents[2] / "fixtures" / "shop" / "pages" / "p"


def shop():
    return [{"id": path.name, "html": path.read_bytes()} for path in sorted(SHOP.iterdir())]


def test_products_are_rows():
    [products] = unmold.records(shop(), columns=None, raw=True)
    board = products.rows[0]
    assert (board["id"], board["material"]) == ("bread-board.html", "Walnut")
    assert board["weight"] == {"value": 1.9, "unit": "kg"}
    assert board["weight_raw"] == "1.9 kg"
    assert {"id", "name", "type", "cover", "xpath"} <= set(products.schema[0])


def test_arrow_has_the_rows():
    pytest.importorskip("pyarrow")
    [products] = unmold.records(shop())
    table = products.table
    assert table.num_rows == 8
    assert table.column("material").to_pylist() == [row["material"] for row in products.rows]
    for nested in products.nested.values():
        assert nested.column_names[:2] == ["page", "position"]
        assert nested.num_rows > 0


def test_the_order_of_pages_does_not_matter():
    [one], [other] = unmold.records(shop()), unmold.records(shop()[::-1])
    assert one.schema == other.schema
    assert one.rows == other.rows[::-1]


def test_the_main_table_is_at_hand():
    pytest.importorskip("pyarrow")
    found = unmold.records(shop(), want=["material", "weight"], raw=True)
    assert found.table.column_names == ["id", "url", "material", "weight", "weight_raw"]
    assert found.schema == found[0].schema
    assert set(found.nested) == set(found[0].nested)


def test_templates_read_other_pages():
    pages = shop()
    templates = unmold.learn_sites(pages, records=True)
    again = unmold.Templates.from_json(templates.to_json())
    [learned], [read] = unmold.records(pages), unmold.records(pages[:3], again)
    assert read.rows == learned.rows[:3]
    assert unmold.records(pages, unmold.learn_sites(pages)) == []


def test_batches_give_the_same_rows():
    pyarrow = pytest.importorskip("pyarrow")
    pages = shop()
    table = pyarrow.Table.from_pylist(pages)
    batches = list(unmold.records_batches(table))
    assert {kind for kind, _ in batches} == {"#1"}
    rows = [row for _, batch in batches for row in batch.to_pylist()]
    assert rows == unmold.records(pages).table.to_pylist()
    with pytest.raises(ValueError, match="read only once"):
        unmold.records_batches(iter(table.to_batches()))


def test_structured_data_is_a_source_if_asked():
    def page(n: int) -> dict[str, str]:
        data = f'{{"@type": "Product", "sku": "S-{n}", "offers": {{"price": {n}.5}}}}'
        script = f'<script type="application/ld+json">{data}</script>'
        return {"id": str(n), "html": f"{script}<h1>Tea {n}</h1><p>Only ${n}.50 today</p>"}

    pages = [page(n) for n in range(1, 9)]
    assert "sku" not in unmold.records(pages).main.rows[0]
    assert unmold.records(pages, structured=True).main.rows[0]["sku"] == "S-1"


def test_nothing_in_common_is_no_table():
    assert unmold.records(["<p>the same"] * 3) == []
    assert unmold.records([]) == []
