"""nginx's file for servers.py: for itself, and for TLS between poise and its provider.

There it translates, so that the upstream stays plain:

    bench_load  ->  poise  =TLS, HTTP/2=>  nginx  ->  bench_upstream    poise-h2: a provider as they are

Only poise's own CPU is counted.
"""

import os
import resource
import subprocess

CONFIGURATION = """
daemon off;
worker_processes {workers};
worker_rlimit_nofile {files};
pid {name}.pid;
{user}
events {{ worker_connections 32000; }}
http {{
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    keepalive_requests 100000000;
    client_body_buffer_size 64k;
    ssl_certificate {certificate};
    ssl_certificate_key {key};
    upstream behind {{
        server 127.0.0.1:{to_port};
        keepalive 8192;
        keepalive_requests 100000000;
    }}
    server {{
        listen 127.0.0.1:{port}{listen};
        location / {{
            proxy_pass http://behind;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
        }}
    }}
}}
"""


def make_certificate(directory):
    """Paths of a certificate for 127.0.0.1 and its key, made once for a directory."""
    certificate, key = directory / "cert.pem", directory / "key.pem"
    if not certificate.exists():
        command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                   "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                   "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate]
        subprocess.run(command, check=True, capture_output=True)
    return certificate, key


def upstream_settings(directory, port):
    """What makes poise call a model over TLS."""
    return {"GROQ_BASE_URL": f"https://127.0.0.1:{port}/openai/v1",
            "SSL_CERT_FILE": str(make_certificate(directory)[0])}


def write_configuration(directory, name, port, to_port, *, workers=1, takes_tls=False):
    """nginx's file; perhaps with TLS and HTTP/2 towards its client."""
    certificate, key = make_certificate(directory)
    path = directory / f"{name}.conf"
    path.write_text(CONFIGURATION.format(
        workers=workers, files=resource.getrlimit(resource.RLIMIT_NOFILE)[1],
        name=name, port=port, to_port=to_port, certificate=certificate, key=key,
        user="user root;" if os.geteuid() == 0 else "",
        listen=" ssl http2" if takes_tls else ""))
    return path
