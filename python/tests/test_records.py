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


def test_nothing_in_common_is_no_table():
    assert unmold.records(["<p>the same"] * 3) == []
    assert unmold.records([]) == []
