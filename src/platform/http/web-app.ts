import { fileURLToPath } from 'node:url';
import { type Express, type Request, type Response } from 'express';
import { html } from '../documents/html.js';
import { type AnyOperation } from '../operations/operation.js';
import { serviceVersion } from '../version.js';
import { type BuiltFile, readBuiltFiles, sendBuiltFile } from './built-files.js';
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

/** First parts of paths that are not pages of the app, besides those of operations. */
const otherPaths = [
  'docs',
  'llms.txt',
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
    private readonly files: ReadonlyMap<string, BuiltFile>,
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
    return new WebApp(
      basePath,
      readBuiltFiles(folder),
      new Set([...ofOperations, ...otherPaths]),
      about,
      loadProviders,
    );
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

  private sendFile(request: Request, response: Response, file: BuiltFile): void {
    const isHashed = request.path.startsWith('/app/');
    const cacheControl = isHashed ? 'public, max-age=31536000, immutable' : 'no-cache';
    sendBuiltFile(request, response, file, cacheControl);
  }
}
