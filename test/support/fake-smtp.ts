import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and body as they were sent, dots unstuffed. */
  readonly data: string;
}

/** A mail server on loopback that accepts every mail, or rejects the next ones. */
export class FakeSmtp {
  readonly mails: ReceivedMail[] = [];
  /** The number of next mails to reject temporarily. */
  rejections = 0;
  url = '';

  private constructor(private readonly server: Server) {}

  static async start(): Promise<FakeSmtp> {
    const server = createServer();
    const smtp = new FakeSmtp(server);
    server.on('connection', (socket) => smtp.talk(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    smtp.url = `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return smtp;
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => this.server.close(resolve));
  }

  private talk(socket: Socket): void {
    let buffer = '';
    let data: string[] | null = null;
    let from = '';
    let to: string[] = [];
    socket.on('error', () => {});
    const answer = (line: string) => socket.write(`${line}\r\n`);
    const hear = (line: string): void => {
      if (data !== null) {
        if (line !== '.') {
          data.push(line.startsWith('.') ? line.slice(1) : line);
          return;
        }
        const rejected = this.rejections > 0;
        if (rejected) this.rejections -= 1;
        else this.mails.push({ from, to, data: data.join('\r\n') });
        data = null;
        answer(rejected ? '451 4.3.0 not now' : '250 taken');
        return;
      }
      const verb = line.slice(0, 4).toUpperCase();
      if (verb === 'MAIL') {
        from = /<([^>]*)>/.exec(line)?.[1] ?? '';
        to = [];
      }
      if (verb === 'RCPT') to.push(/<([^>]*)>/.exec(line)?.[1] ?? '');
      if (verb === 'DATA') {
        data = [];
        answer('354 go on');
      } else if (verb === 'QUIT') socket.end('221 bye\r\n');
      else answer('250 fine');
    };
    socket.on('data', (chunk) => {
      buffer += chunk.toString('utf8');
      for (let end = buffer.indexOf('\r\n'); end >= 0; end = buffer.indexOf('\r\n')) {
        const line = buffer.slice(0, end);
        buffer = buffer.slice(end + 2);
        hear(line);
      }
    });
    answer('220 fake');
  }
}
