import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Express, type RequestHandler } from 'express';
import { getOrInsert } from '../../kernel/get-or-insert.js';
import { onlyRead, restrictDocs } from '../http/docs-site.js';

/** `npm run build` writes it. */
const folder = fileURLToPath(new URL('../../../openapi', import.meta.url));

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Commission service: API</title>
    <link rel="stylesheet" href="swagger-ui.css">
    <link rel="icon" type="image/png" href="favicon-32x32.png">
  </head>
  <body>
    <p><a href="../docs">Documentation</a></p>
    <div id="swagger-ui"></div>
    <script src="swagger-ui-bundle.js"></script>
    <script src="initialize.js"></script>
  </body>
</html>
`;

const initializer = `window.SwaggerUIBundle({
  url: '../v1/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  filter: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  validatorUrl: null,
});
`;

const packagedFiles = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

/**
 * Serves `/v1/openapi.json` and the API reference at `/docs/api`, which works offline. Both are public: they contain no data of a
 * workspace, and tools that read them have no token.
 */
export class Documents {
  private readonly compressed = new Map<OpenApiVersion, Promise<Compressed>>();

  /** The address of the service in the documents; clients take `/` for that of the server they have read it from. */
  constructor(private readonly address = '/') {}

  routes(app: Express): void {
    app.route('/v1/openapi.json').get(this.sender('3.0')).all(onlyRead);
    app.route('/v1/openapi-3.1.json').get(this.sender('3.1')).all(onlyRead);
    const files: readonly [string, RequestHandler][] = [
      ['api', text('html', page)],
      ['initialize.js', text('text/javascript', initializer)],
      ...packagedFiles.map((file): [string, RequestHandler] => [file, packaged(file)]),
    ];
    for (const [name, send] of files) app.route(`/docs/${name}`).get(restrictDocs, send).all(onlyRead);
  }

  private sender(openapi: OpenApiVersion): RequestHandler {
    return async (request, response) => {
      const { json, gzip: zipped } = await getOrInsert(this.compressed, openapi, () =>
        readDocument(openapi, this.address),
      );
      response.setHeader('Cache-Control', 'no-cache');
      response.setHeader('Vary', 'Accept-Encoding');
      response.type('application/json');
      if (!request.acceptsEncodings('gzip')) return void response.send(json);
      response.setHeader('Content-Encoding', 'gzip');
      response.send(zipped);
    };
  }
}

type OpenApiVersion = '3.0' | '3.1';

interface Compressed {
  readonly json: Buffer;
  readonly gzip: Buffer;
}

/** Making a document takes a second of CPU time, so the build does it. It is a megabyte, and a tenth of it compressed. */
async function readDocument(openapi: OpenApiVersion, address: string): Promise<Compressed> {
  const text = await readFile(path.join(folder, `${openapi}.json`), 'utf8');
  const json = Buffer.from(
    text.replace('"servers":[{"url":"/"}]', () => `"servers":[{"url":${JSON.stringify(address)}}]`),
  );
  return { json, gzip: await promisify(gzip)(json) };
}

function text(type: string, content: string): RequestHandler {
  return (_request, response) => {
    response.type(type).send(content);
  };
}

function packaged(file: string): RequestHandler {
  const root = path.dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
  return (_request, response, next) => {
    response.sendFile(file, { root, maxAge: '1d', etag: false }, (error) =>
      error === undefined ? undefined : next(error),
    );
  };
}
