# The relay on workerd, with a database: workerd serve deploy/workerd.capnp, in a clone of the repository.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .relay),
    (name = "internet", network = (allow = ["public"], tlsOptions = (trustBrowserCas = true))),
    # The folder of the database: --directory-path disk=/var/lib/hookline
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
  # Each variable of docs/reference/environment.md that is set. A variable that is not in this list is not read.
  bindings = [
    # The output of: openssl rand -base64 32
    (name = "HOOKLINE_RELAY_KEY", fromEnvironment = "HOOKLINE_RELAY_KEY"),
    (name = "HOOKLINE_APP_ID", fromEnvironment = "HOOKLINE_APP_ID"),
    (name = "HOOKLINE_APP_KEY", fromEnvironment = "HOOKLINE_APP_KEY"),
    (name = "HOOKLINE_GITHUB_TOKEN", fromEnvironment = "HOOKLINE_GITHUB_TOKEN"),
    (name = "HOOKLINE_PUBLIC_URL", fromEnvironment = "HOOKLINE_PUBLIC_URL"),
    (name = "RELAY", durableObjectNamespace = "RelayObject"),
  ],
  durableObjectNamespaces = [(className = "RelayObject", uniqueKey = "hookline-relay", enableSql = true)],
  durableObjectStorage = (localDisk = "disk"),
);
