import { fileURLToPath } from 'node:url';
import { type Express, type RequestHandler } from 'express';
import { Failure } from '../../kernel/failure.js';
import { type BuiltFile, readBuiltFiles, sendBuiltFile } from './built-files.js';

/** The built site; `npm run build` writes it. */
const defaultFolder = fileURLToPath(new URL('../../../site', import.meta.url));

/** Allows only resources of this origin and nothing inline, except the images inside the style sheet of the reference. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join(';');

/** Sets the policy of pages of the documentation. */
export const restrictDocs: RequestHandler = (_request, response, next) => {
  response.setHeader('Content-Security-Policy', policy);
  next();
};

export const onlyRead: RequestHandler = (request, response) => {
  response.setHeader('Allow', 'GET');
  throw new Failure('method_not_allowed', `This path does not support ${request.method}, only GET.`);
};

/**
 * Serves the documentation below `/docs`, and `/llms.txt`, from memory. Both are public and work without the internet.
 * Links of the pages are relative, so that they work below the path of PUBLIC_URL too.
 */
export class DocsSite {
  private readonly files: ReadonlyMap<string, BuiltFile>;

  constructor(folder = defaultFolder) {
    this.files = readBuiltFiles(folder);
  }

  routes(app: Express): void {
    app.use('/docs', restrictDocs);
    app.route(['/docs', '/docs/*name']).get(this.sendPage).all(this.rejectWrites);
    app.route('/llms.txt').get(this.sendFile('/llms.txt')).all(onlyRead);
  }

  private readonly sendPage: RequestHandler = (request, response, next) => {
    // Relative links of a page begin at the folder of its address, which a slash at the end would change.
    if (request.path.endsWith('/')) return response.redirect(308, `../${request.path.split('/').at(-2)}`);
    const file = this.find(request.path);
    if (file === undefined) return next();
    return sendBuiltFile(request, response, file, 'no-cache');
  };

  private readonly rejectWrites: RequestHandler = (request, response, next) =>
    this.find(request.path) === undefined ? next() : onlyRead(request, response, next);

  private find(path: string): BuiltFile | undefined {
    const name = path === '/docs' ? '/index' : path.slice('/docs'.length);
    return this.files.get(name) ?? this.files.get(`${name}.html`);
  }

  private sendFile(name: string): RequestHandler {
    return (request, response, next) => {
      const file = this.files.get(name);
      if (file === undefined) next();
      else sendBuiltFile(request, response, file, 'no-cache');
    };
  }
}
