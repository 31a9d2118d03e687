# The relay on workerd, with an outbox: workerd serve deploy/workerd.capnp, in a clone of the repository.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .relay),
    (name = "internet", network = (allow = ["public"], tlsOptions = (trustBrowserCas = true))),
    # The folder of the outbox: --directory-path disk=/var/lib/hookline
    (name = "disk", disk = (writable = true)),
  ],
  # --socket-addr http=127.0.0.1:3000
  sockets = [(name = "http", http = (), service = "main")],
);

const relay :Workerd.Worker = (
  modules = [
    (name = "worker.js", esModule = embed "../dist/relay/worker.js"),
    (name = "verification.js", esModule = embed "../dist/relay/verification.js"),
    (name = "relay-object.js", esModule = embed "../dist/relay/relay-object.js"),
  ],
  compatibilityDate = "2026-10-01",
  compatibilityFlags = ["no_nodejs_compat", "no_nodejs_compat_v2"],
  # Each of docs/reference/environment.md, that is set: what is not in this list is not read.
  bindings = [
    (name = "HOOKLINE_SEALING_KEYS", fromEnvironment = "HOOKLINE_SEALING_KEYS"),
    (name = "HOOKLINE_APP_ID", fromEnvironment = "HOOKLINE_APP_ID"),
    (name = "HOOKLINE_APP_KEY", fromEnvironment = "HOOKLINE_APP_KEY"),
    (name = "HOOKLINE_GITHUB_TOKEN", fromEnvironment = "HOOKLINE_GITHUB_TOKEN"),
    (name = "HOOKLINE_SIGNING_KEYS", fromEnvironment = "HOOKLINE_SIGNING_KEYS"),
    (name = "HOOKLINE_REVOKED_GRANTS", fromEnvironment = "HOOKLINE_REVOKED_GRANTS"),
    (name = "HOOKLINE_ADMIN_KEY", fromEnvironment = "HOOKLINE_ADMIN_KEY"),
    (name = "RELAY", durableObjectNamespace = "RelayObject"),
  ],
  durableObjectNamespaces = [(className = "RelayObject", uniqueKey = "hookline-relay", enableSql = true)],
  durableObjectStorage = (localDisk = "disk"),
);
