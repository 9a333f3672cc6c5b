# The service, as a plain user, with its memory in a volume.
FROM python:3.12-slim AS build
WORKDIR /build
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY src ./src
RUN pip install --no-cache-dir --prefix=/installed ".[postgres,oauth]"

FROM python:3.12-slim
COPY --from=build /installed /usr/local
RUN useradd --create-home --uid 10001 recollect && install -d -o recollect -g recollect -m 0700 /memory
USER recollect
ENV RECOLLECT_HOME=/memory PYTHONUNBUFFERED=1
VOLUME /memory
EXPOSE 3031
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:3031/readyz', timeout=4)"]
ENTRYPOINT ["recollect"]
CMD ["up", "--http", "0.0.0.0:3031", "--log-format", "json", "--log-level", "info"]
