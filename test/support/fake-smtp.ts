import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

interface ReceivedMail {
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
    const session = new SmtpSession(socket, (mail) => this.receive(mail));
    let buffer = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      buffer += chunk.toString('utf8');
      for (let end = buffer.indexOf('\r\n'); end >= 0; end = buffer.indexOf('\r\n')) {
        const line = buffer.slice(0, end);
        buffer = buffer.slice(end + 2);
        session.readLine(line);
      }
    });
    socket.write('220 fake\r\n');
  }

  /** Returns the reply to the mail. */
  private receive(mail: ReceivedMail): string {
    if (this.rejections > 0) {
      this.rejections -= 1;
      return '451 4.3.0 not now';
    }
    this.mails.push(mail);
    return '250 accepted';
  }
}

class SmtpSession {
  private from = '';
  private to: string[] = [];
  /** The lines of the mail that is being sent. */
  private data: string[] | null = null;

  constructor(
    private readonly socket: Socket,
    private readonly receive: (mail: ReceivedMail) => string,
  ) {}

  readLine(line: string): void {
    if (this.data === null) this.runCommand(line);
    else if (line === '.') this.endMail(this.data);
    else this.data.push(line.startsWith('.') ? line.slice(1) : line);
  }

  private endMail(data: readonly string[]): void {
    this.data = null;
    this.reply(this.receive({ from: this.from, to: this.to, data: data.join('\r\n') }));
  }

  private runCommand(line: string): void {
    const address = /<([^>]*)>/.exec(line)?.[1] ?? '';
    switch (line.slice(0, 4).toUpperCase()) {
      case 'MAIL':
        this.from = address;
        this.to = [];
        return this.reply('250 ok');
      case 'RCPT':
        this.to.push(address);
        return this.reply('250 ok');
      case 'DATA':
        this.data = [];
        return this.reply('354 continue');
      case 'QUIT':
        this.socket.end('221 bye\r\n');
        return;
      default:
        return this.reply('250 ok');
    }
  }

  private reply(line: string): void {
    this.socket.write(`${line}\r\n`);
  }
}
