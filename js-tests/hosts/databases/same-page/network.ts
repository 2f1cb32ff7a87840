// The network between a browser and a server, which can be cut without a word to the browser.
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

export class Network {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  private constructor(port: number) {
    this.#server = createServer((near) => {
      if (this.#isCut) return near.destroy();
      const far = connect(port, "127.0.0.1");
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(socket);
        socket.pipe(other);
        socket.on("error", () => {});
        socket.once("close", () => {
          this.#sockets.delete(socket);
          other.destroy();
        });
      }
    });
  }

  /** Begins to pass all on to this port. */
  static async before(port: number): Promise<Network> {
    const network = new Network(port);
    await new Promise<void>((resolve) => network.#server.listen(0, "127.0.0.1", resolve));
    return network;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  heal(): void {
    this.#isCut = false;
  }

  stop(): void {
    this.cut();
    this.#server.close();
  }
}
