import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { connect, isIP } from "node:net";
import { join } from "node:path";
import { createServer, type Server } from "node:tls";
import { generate } from "selfsigned";

/**
 * kubectl sends no credentials over plain HTTP: client-go reads a user's token only when the server's URL is
 * https (clientcmd/client_config.go, IsConfigTransportTLS). So the local server has a second, TLS port for it,
 * with a certificate of its own that the kubeconfig names as the authority.
 */
export interface TlsIdentity {
  /** PEM. */
  readonly certificate: string;
  readonly key: string;
}

/** A new certificate is made when the old one has less than this left. */
const RENEW_BEFORE_DAYS = 30;
const VALID_DAYS = 825;
const DAY = 24 * 60 * 60 * 1000;

/** The folder's certificate, made when there is none that still holds for this host. */
export async function tlsIdentity(folder: string, host: string): Promise<TlsIdentity> {
  const certificatePath = join(folder, "tls.crt");
  const keyPath = join(folder, "tls.key");
  if (existsSync(certificatePath) && existsSync(keyPath)) {
    const certificate = readFileSync(certificatePath, "utf8");
    if (holdsFor(certificate, host)) return { certificate, key: readFileSync(keyPath, "utf8") };
  }
  const made = await makeIdentity(host);
  writeFileSync(keyPath, made.key, { mode: 0o600 });
  writeFileSync(certificatePath, made.certificate, { mode: 0o600 });
  return made;
}

function holdsFor(pem: string, host: string): boolean {
  const certificate = new X509Certificate(pem);
  const named = isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host);
  return named !== undefined && Date.parse(certificate.validTo) - Date.now() > RENEW_BEFORE_DAYS * DAY;
}

async function makeIdentity(host: string): Promise<TlsIdentity> {
  const names = [...new Set(["127.0.0.1", "::1", "localhost", host])];
  const now = Date.now();
  const made = await generate([{ name: "commonName", value: "kubegc local server" }], {
    keyType: "ec",
    algorithm: "sha256",
    notBeforeDate: new Date(now - DAY),
    notAfterDate: new Date(now + VALID_DAYS * DAY),
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, digitalSignature: true, critical: true },
      { name: "extKeyUsage", serverAuth: true },
      {
        name: "subjectAltName",
        altNames: names.map((name) => (isIP(name) ? { type: 7, ip: name } : { type: 2, value: name })),
      },
    ],
  });
  return { certificate: made.cert, key: made.private };
}

export interface TlsServer {
  readonly port: number;
  stop(): void;
}

/**
 * Takes TLS off and hands the bytes to the plain port; what they say is not looked at. Listens on the first of
 * `ports` that is free.
 */
export async function serveTls(
  identity: TlsIdentity,
  { host, ports, target }: { host: string; ports: readonly number[]; target: { host: string; port: number } },
): Promise<TlsServer> {
  const server = createServer({ cert: identity.certificate, key: identity.key, ALPNProtocols: ["http/1.1"] });
  server.on("secureConnection", (client) => {
    const upstream = connect(target.port, target.host);
    client.on("error", () => upstream.destroy());
    upstream.on("error", () => client.destroy());
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
    client.pipe(upstream).pipe(client);
  });
  server.on("tlsClientError", (_, client) => client.destroy());
  for (const port of ports) {
    if (await listens(server, host, port)) {
      const address = server.address();
      return {
        port: typeof address === "object" && address ? address.port : port,
        stop: () => server.close(),
      };
    }
  }
  throw new Error(`no free port for TLS on ${host}`);
}

function listens(server: Server, host: string, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const refused = (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(false);
      else reject(error);
    };
    server.once("error", refused);
    server.listen(port, host, () => {
      server.off("error", refused);
      resolve(true);
    });
  });
}
