import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The way to the service, which a test can close: then nothing listens at the address. */
export interface Gate {
  readonly url: string;
  close(): Promise<void>;
  open(): Promise<void>;
}

/** Opens a way to a service. */
export async function openGate(serviceUrl: string): Promise<Gate> {
  const sockets = new Set<Socket>();
  const target = Number(new URL(serviceUrl).port);
  const server = createServer((caller) => {
    const callee = connect(target, '127.0.0.1');
    for (const socket of [caller, callee]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => sockets.delete(socket));
    }
    caller.pipe(callee).pipe(caller);
  });
  const listen = (port: number) => new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  const close = async () => {
    const closed = new Promise((done) => server.close(done));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close, open: () => listen(port) };
}
