"""The tour of README.md: PyIceberg makes a table, writes, evolves, reads.

usage: tour.py [read | drop] [KEY=VALUE…]     properties of the catalog, as warehouse=lake or s3.access-key-id=…
"""
import sys
import time
import urllib.error
import urllib.request

import pyarrow as pa
from pyiceberg.catalog import load_catalog
from pyiceberg.types import DoubleType

words = [a for a in sys.argv[1:] if "=" not in a]
if words not in ([], ["read"], ["drop"]):
    sys.exit(__doc__)
properties = {"uri": "http://127.0.0.1:8089/api/catalog", "warehouse": "default"}
properties |= dict(a.split("=", 1) for a in sys.argv[1:] if "=" in a)


def answers(uri):
    """Whether a catalog is there and has started: any other answer than 503 will do."""
    try:
        urllib.request.urlopen(uri + "/v1/config", timeout=5).close()
    except urllib.error.HTTPError as e:
        return e.code != 503
    except OSError:
        return False
    return True


for _ in range(100):
    if answers(properties["uri"]):
        break
    time.sleep(0.1)
else:
    sys.exit(f"no catalog answers at {properties['uri']}: start it, and wait until it says `listening`")
catalog = load_catalog("puddle", type="rest", **properties)

if words == ["read"]:
    print(catalog.load_table("sales.orders").scan().to_arrow().num_rows, "rows")
    sys.exit()
if words == ["drop"]:
    catalog.drop_table("sales.orders")
    sys.exit()
if catalog.table_exists("sales.orders"):
    sys.exit("sales.orders is there: `tour.py read` reads it, after `tour.py drop` the tour can be made again")

catalog.create_namespace_if_not_exists("sales", {"owner": "anna"})
table = catalog.create_table("sales.orders", schema=pa.schema([("id", pa.int64()), ("item", pa.string())]))
print("created sales.orders")

table.append(pa.table({"id": [1, 2], "item": ["rope", "lamp"]}))
first = table.scan().to_arrow().num_rows

with table.update_schema() as update:
    update.add_column("price", DoubleType())
table.append(pa.table({"id": [3], "item": ["tent"], "price": [99.5]}))
print(first, "rows, then", table.scan().to_arrow().num_rows, "rows")
print("columns:", ", ".join(catalog.load_table("sales.orders").schema().column_names))
