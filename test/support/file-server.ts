import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';

/** Publishes one file on loopback, as a spreadsheet service does. */
export class FileServer {
  content = '';
  /** What responses to a URL hold; `content` for others. */
  readonly contents = new Map<string, string>();
  /** Status of the responses. */
  status = 200;
  /** Where the next requests are redirected, by path; other paths respond with the file. */
  readonly redirects = new Map<string, string>();
  readonly requests: IncomingMessage[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<FileServer> {
    const server = createServer({ keepAlive: false });
    const files = new FileServer(server);
    server.on('request', (request: IncomingMessage, response) => {
      files.requests.push(request);
      const target = files.redirects.get(request.url ?? '');
      if (target !== undefined) response.writeHead(307, { Location: target }).end();
      else
        response
          .writeHead(files.status, { 'Content-Type': 'text/csv' })
          .end(files.contents.get(request.url ?? '') ?? files.content);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return files;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `${this.origin}/bookings.csv`;
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }
}
