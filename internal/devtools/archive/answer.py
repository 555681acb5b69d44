"""Answers queries about an archive, by DuckDB or Spark.

    answer.py duckdb|spark ARCHIVE QUERY.sql...

prints one line of JSON for each query: {"query", "ms", "rows": [[...]]}. Dates are
text, floats have at most 9 decimals.
"""

import datetime
import decimal
import json
import os
import sys
import time

TABLES = ["runs", "steps", "tool_calls", "findings", "scenarios", "events"]


def plain(value):
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()[:10]
    if isinstance(value, decimal.Decimal):
        value = int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, float):
        return round(value, 9)
    return value


def duckdb_engine(archive):
    import duckdb

    db = duckdb.connect()
    db.execute("SET TimeZone = 'UTC'")
    for table in TABLES:
        files = os.path.join(archive, table, "*", "*.parquet")
        db.execute(f"CREATE VIEW {table} AS SELECT * FROM read_parquet('{files}', hive_partitioning = true, union_by_name = true)")
    return lambda sql: db.execute(sql).fetchall()


def spark_engine(archive):
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    for table in TABLES:
        spark.read.option("mergeSchema", "true").parquet(os.path.join(archive, table)).createOrReplaceTempView(table)
    return lambda sql: [tuple(row) for row in spark.sql(sql).collect()]


def main():
    engine, archive, queries = sys.argv[1], sys.argv[2], sys.argv[3:]
    ask = {"duckdb": duckdb_engine, "spark": spark_engine}[engine](archive)
    for query in queries:
        with open(query, encoding="utf-8") as f:
            sql = f.read()
        begin = time.monotonic()
        rows = ask(sql)
        ms = round((time.monotonic() - begin) * 1000)
        print(json.dumps({"query": os.path.basename(query), "ms": ms, "rows": [[plain(v) for v in row] for row in rows]}), flush=True)


main()
