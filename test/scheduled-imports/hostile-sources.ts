import { generateKeyPairSync } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import ssh2, { type Connection, type SFTPWrapper } from 'ssh2';

/** What a body holds: text or bytes, or parts without an end. */
type Content = string | Buffer | (() => string);

const entry = (key: string, more = '') =>
  `<Contents><Key>${key}</Key><LastModified>2026-01-01T00:00:00Z</LastModified><ETag>"${more}"</ETag><Size>9</Size></Contents>`;
const list = (inner: string) => `<?xml version="1.0"?><ListBucketResult>${inner}</ListBucketResult>`;
const next = () => `<NextContinuationToken>${Math.random()}</NextContinuationToken>`;
const entities = Array.from({ length: 9 }, (_, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`).join('');

/** Lists of a store that strangers run. */
const lists: Readonly<Record<string, () => Content>> = {
  'endless pages': () => list(next()),
  'endless pages of names': () =>
    list(Array.from({ length: 1000 }, (_, at) => entry(`${at}.txt.gz`)).join('') + next()),
  'pages of entities': () => list('&a;'.repeat(1_500_000) + next()),
  'pages of elements': () => list('<b/>'.repeat(1_200_000) + next()),
  'entities in a page below the limit': () => list(`${'&a;<b/>'.repeat(250_000)}${next()}`),
  'deep elements': () => '<a>'.repeat(400_000),
  'an entity that grows': () => `<!DOCTYPE a [<!ENTITY e0 "x">${entities}]>${list(entry('&e9;.csv'))}`,
  'an external entity': () => `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>${list(entry('&x;.csv'))}`,
  'names of prototypes': () => list('<__proto__><a>1</a></__proto__><constructor/>'),
  'a tag that does not end': () => '<ListBucketResult><Contents',
  'no XML': () => 'no',
  nothing: () => '',
  'bytes that are no text': () => Buffer.alloc(100_000, 0xff),
  'sizes that are no numbers': () => list(entry('a.csv').replace('>9<', '>many<')),
  'names with control characters': () => list(entry('a&#0;&#7;.csv')),
  'a file that is not there': () => list(entry('gone.csv')),
  'a list without end': () => () => '<a/>'.repeat(5000),
};

/** Files at a URL. */
const files: Readonly<Record<string, () => Content>> = {
  'a file without end': () => () => 'id,amount\n'.repeat(6000),
  'a file of 31 MiB': () => `id,amount\n${'a,1\n'.repeat(8_000_000)}`,
  'a million columns': () => `${'a,'.repeat(1_000_000)}\n1\n`,
  'a line of 20 MiB': () => `id,amount\n${'a'.repeat(20_000_000)}\n`,
  'cells without end': () => `id,amount\n${`${','.repeat(500_000)}\n`.repeat(40)}`,
  'a quote that is not closed': () => `id,amount\n"${'a\n'.repeat(3_000_000)}`,
  'quotes in quotes': () => `id,amount\n${'"a""b",1\n'.repeat(1_000_000)}`,
  'characters U+0000': () => 'id,amount\na\u0000,1\n',
  'a character in two halves': () => `id,amount\n${'x'.repeat(199)}😀,1\n`,
  'other encodings': () => Buffer.from('id,amount\na,1\n', 'utf16le'),
  'names of objects': () => 'constructor,__proto__,toString\n1,2,3\n',
  'a packed file': () => gzipSync(Buffer.alloc(20_000_000)),
  'a page': () => '<!DOCTYPE html><title>Sign in</title>',
  'an empty file': () => '',
  'a header': () => 'id,amount\n',
  'line ends': () => '\n'.repeat(5_000_000),
};

/** How servers answer that do not send a file. */
const answers: Readonly<Record<string, RequestListener>> = {
  'no answer': () => undefined,
  'an answer drop by drop': (_request, response) => {
    const timer = setInterval(() => response.write('a'), 200);
    response.once('close', () => clearInterval(timer));
  },
  'a redirect to itself': ({ url = '' }, response) => void response.writeHead(302, { Location: url }).end(),
  'a redirect inside': (_request, response) => void response.writeHead(302, { Location: 'http://10.0.0.1/' }).end(),
  'a lost connection': (_request, response) => {
    response.writeHead(200, { 'Content-Length': '1000' });
    response.write('id', () => response.destroy());
  },
  'no HTTP': ({ socket }) => void socket.end('SSH-2.0-nothing\r\n'),
  'endless headers': ({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    const write = () => socket.write(`X: ${'a'.repeat(1000)}\r\n`);
    const timer = setInterval(write, 5);
    socket.once('close', () => clearInterval(timer)).on('error', () => undefined);
  },
  'an error': (_request, response) => void response.writeHead(500).end('no'),
};

/** How SFTP servers behave; the name of the user selects one. */
const folders = [
  'a failed read',
  'a lost connection in a read',
  'a read without end',
  'no answer to a read',
  'a folder without end',
  'empty parts of a folder without end',
  'no answer to a folder',
  'a name with control characters',
  'no answer to the sign-in',
  'a rejected sign-in',
] as const;
type Folder = (typeof folders)[number];

interface HostileSource {
  readonly name: string;
  readonly source: object;
  readonly credentials?: object;
}

/** Servers on loopback that send what no honest source sends. */
export class HostileSources {
  private constructor(
    private readonly http: Server,
    private readonly sftp: ssh2.Server,
    private readonly tcp: TcpServer,
    readonly all: readonly HostileSource[],
  ) {}

  /** The kinds again and again, until there are so many sources. */
  static async start(count: number): Promise<HostileSources> {
    const http = createServer(respond);
    const sftp = new ssh2.Server({ hostKeys: [createHostKey()] }, serveSftp);
    const tcp = createTcpServer(
      (socket) => void socket.on('error', () => undefined).write('no protocol\n'.repeat(500)),
    );
    const [httpPort, sftpPort, tcpPort] = [await listen(http), await listen(sftp), await listen(tcp)];
    const origin = `http://127.0.0.1:${httpPort}`;
    const kinds = kindsOf(origin, sftpPort, tcpPort);
    const all = Array.from({ length: count }, (_, at) => kinds[at % kinds.length] as HostileSource);
    return new HostileSources(http, sftp, tcp, all);
  }

  async stop(): Promise<void> {
    for (const server of [this.http, this.sftp, this.tcp]) server.close();
    this.http.closeAllConnections();
  }
}

/** ssh2 cannot read one in 200 of the keys that it generates itself: of 3,000 Ed25519 ones 17, of these none. */
function createHostKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'sec1', format: 'pem' }).toString();
}

function kindsOf(origin: string, sftpPort: number, tcpPort: number): HostileSource[] {
  const keys = { accessKeyId: 'a', secretAccessKey: 'b' };
  const path = (name: string) => encodeURIComponent(name);
  const sftp = (user: string, port: number) => ({ kind: 'sftp', host: '127.0.0.1', port, user, folder: '/' });
  const store = (name: string): HostileSource => ({
    name: `a store: ${name}`,
    source: { kind: 's3', endpoint: `${origin}/${path(name)}`, region: 'eu-1', bucket: 'b' },
    credentials: keys,
  });
  const url = (name: string): HostileSource => ({
    name: `a URL: ${name}`,
    source: { kind: 'url', url: `${origin}/${path(name)}` },
  });
  return [
    ...Object.keys(lists).map(store),
    ...Object.keys(answers).map(store),
    ...Object.keys(files).map(url),
    ...Object.keys(answers).map(url),
    ...folders.map((name) => ({ name: `SFTP: ${name}`, source: sftp(name, sftpPort), credentials: { password: 'p' } })),
    { name: 'SFTP: no protocol', source: sftp('u', tcpPort), credentials: { password: 'p' } },
  ];
}

function listen(server: Server | TcpServer | ssh2.Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

const respond: RequestListener = (request, response) => {
  const [, kind = '', ...rest] = (request.url ?? '').split(/[/?]/).map(decodeURIComponent);
  const answer = answers[kind];
  if (answer !== undefined) return answer(request, response);
  const isFile = rest.some((part) => part.endsWith('.csv'));
  const content = isFile ? '' : (lists[kind] ?? files[kind])?.();
  response.writeHead(200, { 'Content-Type': 'text/csv' });
  if (typeof content !== 'function') return void response.end(content);
  const send = (): void => {
    while (!response.destroyed && response.write(content()));
  };
  response.on('drain', send).on('error', () => undefined);
  send();
};

function serveSftp(client: Connection): void {
  let kind = '';
  client.on('error', () => undefined);
  client.on('authentication', (context) => {
    kind = context.username;
    if (kind === 'no answer to the sign-in') return;
    if (kind === 'a rejected sign-in') context.reject();
    else context.accept();
  });
  client.on('session', (accept) => void accept().on('sftp', (open) => serveFolder(open(), kind as Folder, client)));
}

function serveFolder(sftp: SFTPWrapper, kind: Folder, client: Connection): void {
  const { STATUS_CODE: code } = ssh2.utils.sftp;
  const attrs = { mode: 0o100644, uid: 0, gid: 0, size: 6, atime: 1, mtime: 1 };
  const named = (filename: string) => [{ filename, longname: filename, attrs }];
  let parts = 0;
  sftp.on('OPENDIR', (id) => void (kind === 'no answer to a folder' || sftp.handle(id, Buffer.from('d'))));
  sftp.on('READDIR', (id) => {
    parts += 1;
    if (kind === 'a folder without end') sftp.name(id, named(`${parts}.csv`));
    else if (kind === 'empty parts of a folder without end') sftp.name(id, []);
    else if (parts > 1) sftp.status(id, code.EOF);
    else sftp.name(id, named(kind === 'a name with control characters' ? 'a\u0000\n.csv' : 'a.csv'));
  });
  sftp.on('OPEN', (id) => sftp.handle(id, Buffer.from('f')));
  sftp.on('FSTAT', (id) => sftp.attrs(id, attrs));
  let reads = 0;
  sftp.on('READ', (id) => {
    reads += 1;
    if (kind === 'no answer to a read') return;
    if (kind === 'a read without end') sftp.data(id, Buffer.alloc(32_000, 'a'));
    else if (reads === 1) sftp.data(id, Buffer.from('id,'));
    else if (kind === 'a lost connection in a read') client.end();
    else sftp.status(id, code.FAILURE);
  });
  // What asks for the end of a file never learns of it.
  sftp.on('CLOSE', () => undefined);
}
