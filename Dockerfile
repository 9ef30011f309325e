# Weir itself, and the Spark Connect server it drives: the same Python and packages in both, because Weir's functions
# travel to Spark's workers.
FROM python:3.11-slim-bookworm AS weir
WORKDIR /opt/weir
# base: the core and every extra; core: see docs/how-to/install.md.
ARG PACKAGES=base
COPY requirements/base.txt requirements/core.txt requirements/java.txt requirements/
RUN pip install --no-cache-dir --require-hashes --no-deps --requirement requirements/$PACKAGES.txt
COPY . .
RUN useradd --system --home-dir /var/lib/weir weir && install --directory --owner weir --mode 700 /var/lib/weir
ENV PYTHONPATH=/opt/weir PYTHONUNBUFFERED=1 WEIR_HOME=/var/lib/weir
USER weir
ENTRYPOINT ["python", "-m", "api"]

FROM weir AS spark
USER root
RUN pip install --no-cache-dir --require-hashes --no-deps --requirement requirements/java.txt
ENV WEIR_CACHE=/opt/weir-cache WEIR_HOME=/var/lib/spark WEIR_STACK__SPARK_PORT=15002 WEIR_STACK__QUERY_PORT=15003
RUN install --directory --owner weir --mode 700 /var/lib/spark && install --directory --owner weir /opt/weir-cache
USER weir
RUN python -m stack fetch --only spark --only query
# The token comes from the environment and goes no further than this file; the server's own environment is empty.
ENTRYPOINT ["sh", "-c", "umask 077; mkdir -p $WEIR_HOME/secrets; printf %s \"$SPARK_TOKEN\" > $WEIR_HOME/secrets/spark.token; unset SPARK_TOKEN; exec python -m stack up --only $1", "stack"]
CMD ["spark"]
