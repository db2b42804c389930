//! Node ids: positions in document order.

/// Position of a node in document order.
pub type NodeId = u32;
