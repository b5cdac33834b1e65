import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP line to a server that can be cut, as networks do. */
export interface BreakableLine {
  port: number;
  /** Resets every connection, and refuses new ones for so many milliseconds. */
  cut(milliseconds: number): void;
  close(): Promise<void>;
}

export async function breakableLine(target: number): Promise<BreakableLine> {
  const open = new Set<Socket>();
  let brokenUntil = 0;
  const server = createServer((near) => {
    if (Date.now() < brokenUntil) return near.destroy();
    const far = connect(target, "127.0.0.1");
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (milliseconds: number) => {
    brokenUntil = Date.now() + milliseconds;
    for (const socket of open) socket.resetAndDestroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    async close() {
      cut(0);
      server.close();
      await once(server, "close");
    },
  };
}
