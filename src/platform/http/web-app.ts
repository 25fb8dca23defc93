import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Express, type Request, type Response } from 'express';
import { html } from '../documents/html.js';
import { type AnyOperation } from '../operations/operation.js';
import { serviceVersion } from '../version.js';
import { sendPage } from './page.js';

/** The built app; `npm run build` writes it. */
const defaultFolder = fileURLToPath(new URL('../../../web', import.meta.url));

/** Scripts and styles of this origin only. Mantine sets styles on elements, which 'unsafe-inline' allows. */
const policy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join(';');

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
};

/** First parts of paths that are not pages of the app, besides those of operations. */
const otherPaths = [
  'docs',
  'admin',
  'metrics',
  'livez',
  'readyz',
  'assets',
  'sign-in',
  'sign-out',
  'session',
  'app',
  'oauth',
  '.well-known',
];

/** Encodings and the endings of their files, the smallest first. */
const endings = { br: '.br', gzip: '.gz' } as const;
type Encoding = keyof typeof endings;
const encodings = Object.keys(endings) as Encoding[];

interface WebFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** Compressed by the build, by encoding; none where compression saves nothing. */
  readonly encoded: Readonly<Partial<Record<Encoding, Buffer>>>;
}

interface WebAppTerms {
  /** The path of PUBLIC_URL, without a slash at its end. */
  readonly basePath: string;
  readonly operations: readonly AnyOperation[];
  /** The identity providers at which people can sign in. */
  loadProviders(): Promise<readonly SignInProvider[]>;
}

interface SignInProvider {
  readonly id: string | null;
  readonly kind: string;
  readonly name: string;
}

interface ServiceFacts {
  readonly name: string;
  readonly version: string;
  readonly docs: string;
  readonly openapi: string;
}

/**
 * Serves the built web app from memory: files with a hash in their name for ever, and for every other path that is not
 * an operation the page that starts the app.
 */
export class WebApp {
  private constructor(
    private readonly basePath: string,
    private readonly files: ReadonlyMap<string, WebFile>,
    private readonly reserved: ReadonlySet<string>,
    private readonly about: ServiceFacts,
    private readonly loadProviders: WebAppTerms['loadProviders'],
  ) {}

  static open({ basePath, operations, loadProviders }: WebAppTerms, folder = defaultFolder): WebApp {
    const ofOperations = operations.map(({ path: operationPath }) => operationPath.split('/')[1] ?? '');
    const about = {
      name: 'commission-service',
      version: serviceVersion,
      docs: '/docs',
      openapi: '/v1/openapi.json',
    };
    return new WebApp(basePath, readFiles(folder), new Set([...ofOperations, ...otherPaths]), about, loadProviders);
  }

  routes(app: Express): void {
    app.get('/', async (request, response) => {
      if (request.accepts(['html', 'json']) === 'html') return this.sendStart(response);
      response.vary('Accept');
      response.setHeader('Cache-Control', 'no-cache');
      const providers = await this.loadProviders();
      response.json({ ...this.about, singleSignOn: providers.length > 0, providers });
    });
    app.get(['/scheme.js', '/icon.svg', '/app/:name'], (request, response, next) => {
      const file = this.files.get(request.path);
      if (file === undefined) next();
      else this.sendFile(request, response, file);
    });
    app.use((request, response, next) => {
      if (this.isPage(request)) this.sendStart(response);
      else next();
    });
  }

  private isPage({ method, path: requestPath, headers }: Request): boolean {
    const isRead = method === 'GET' || method === 'HEAD';
    return (
      isRead && headers.accept?.includes('text/html') === true && !this.reserved.has(requestPath.split('/')[1] ?? '')
    );
  }

  private sendStart(response: Response): void {
    const start = this.files.get('/index.html');
    if (start === undefined) {
      const body = html`<p>The web app is not built. Run "npm run build" and start the service again.</p>`;
      sendPage(response, this.basePath, { status: 503, title: 'Commissions', body });
      return;
    }
    const text = start.bytes.toString().replace('<base href="/">', `<base href="${this.basePath}/">`);
    // The same address returns JSON to programs.
    response.vary('Accept');
    response.setHeader('Cache-Control', 'no-cache');
    response.setHeader('Content-Security-Policy', policy);
    response.setHeader('Referrer-Policy', 'same-origin');
    response.type('html').send(text);
  }

  private sendFile(request: Request, response: Response, { type, bytes, encoded }: WebFile): void {
    const isHashed = request.path.startsWith('/app/');
    response.setHeader('Cache-Control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
    response.setHeader('Content-Type', type);
    response.setHeader('Vary', 'Accept-Encoding');
    const encoding = encodings.find(
      (candidate) => encoded[candidate] !== undefined && request.acceptsEncodings(candidate) === candidate,
    );
    if (encoding !== undefined) response.setHeader('Content-Encoding', encoding);
    response.end(encoding === undefined ? bytes : encoded[encoding]);
  }
}

/** Every file below the folder by its path in an address; none if the app is not built. */
function readFiles(folder: string): ReadonlyMap<string, WebFile> {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const found = new Set(names);
  return new Map(
    names.flatMap((name): [string, WebFile][] => {
      const type = mediaTypes[path.extname(name)];
      if (type === undefined) return [];
      const read = (file: string) => readFileSync(path.join(folder, file));
      const present = encodings.filter((encoding) => found.has(`${name}${endings[encoding]}`));
      const encoded = Object.fromEntries(present.map((encoding) => [encoding, read(`${name}${endings[encoding]}`)]));
      return [[`/${name.replaceAll('\\', '/')}`, { type, bytes: read(name), encoded }]];
    }),
  );
}
