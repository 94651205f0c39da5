"""The tour of README.md: PyIceberg makes a table, writes, evolves, reads. `tour.py read` only reads."""
import sys

import pyarrow as pa
from pyiceberg.catalog import load_catalog
from pyiceberg.types import DoubleType

catalog = load_catalog("puddle", type="rest", uri="http://127.0.0.1:8089/api/catalog", warehouse="default")

if sys.argv[1:] == ["read"]:
    print(catalog.load_table("sales.orders").scan().to_arrow().num_rows, "rows")
    sys.exit()

catalog.create_namespace("sales", {"owner": "anna"})
table = catalog.create_table("sales.orders", schema=pa.schema([("id", pa.int64()), ("item", pa.string())]))
print("created sales.orders")

table.append(pa.table({"id": [1, 2], "item": ["rope", "lamp"]}))
first = table.scan().to_arrow().num_rows

with table.update_schema() as update:
    update.add_column("price", DoubleType())
table.append(pa.table({"id": [3], "item": ["tent"], "price": [99.5]}))
print(first, "rows, then", table.scan().to_arrow().num_rows, "rows")
print("columns:", ", ".join(catalog.load_table("sales.orders").schema().column_names))
