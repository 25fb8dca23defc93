import { type Express, type Request, type RequestHandler, type Response } from 'express';
import { Failure } from '../../kernel/failure.js';
import { Html, html } from '../documents/html.js';
import { commonFailures } from '../operations/operation.js';

export interface Page {
  /** It defaults to 200. */
  readonly status?: number;
  readonly title: string;
  readonly body: Html;
}

/** Allows only resources of this origin, nothing inline, and forms only to this service. */
const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join(';');

const stylesheet = '/assets/pages.css';

const styles = `:root { color-scheme: light dark; }
* { box-sizing: border-box; }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 28rem; margin: 12vh auto 0; padding: 0 1.25rem; }
h1 { font-size: 1.5rem; margin: 0 0 1rem; }
label { display: block; font-weight: 600; margin-bottom: .25rem; }
input[type=email], input[type=text] { width: 100%; font: inherit; padding: .6rem .75rem; border: 1px solid #767676; border-radius: .4rem; }
.choice label { font-weight: 400; }
button { font: inherit; font-weight: 600; margin-top: 1rem; padding: .6rem 1.1rem; border: 0; border-radius: .4rem; background: #1d4ed8; color: #fff; cursor: pointer; }
button.quiet { background: none; border: 1px solid currentColor; color: inherit; }
:focus-visible { outline: 3px solid #f59e0b; outline-offset: 2px; }
.error { border-left: .25rem solid #b91c1c; padding-left: .75rem; }
.hint { font-size: .9rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; }
dt { font-weight: 600; }
dd { margin: 0; overflow-wrap: anywhere; }
`;

export function pageStyles(app: Express): void {
  app.get(stylesheet, (_request, response) => {
    response.setHeader('Cache-Control', 'public, max-age=3600');
    response.type('text/css').send(styles);
  });
}

/** Sends a page without scripts, which no other site can embed. */
export function sendPage(response: Response, basePath: string, { status = 200, title, body }: Page): void {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Security-Policy', policy);
  // With "no-referrer", browsers send "Origin: null" with forms.
  response.setHeader('Referrer-Policy', 'same-origin');
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Commissions</title>
<link rel="stylesheet" href="${basePath}${stylesheet}">
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
  response.status(status).type('html').send(page.markup);
}

/** A handler whose failures are shown as a page. */
export function pageHandler(
  basePath: string,
  handle: (request: Request, response: Response) => Promise<void>,
  failures: Readonly<Record<string, number>> = {},
): RequestHandler {
  return async (request, response) => {
    try {
      await handle(request, response);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      sendFailure(response, basePath, error, failures);
    }
  };
}

/** A check before the handler of a page, for example before the body is read. A failure is shown as a page. */
export function pageGuard(basePath: string, check: (request: Request) => void): RequestHandler {
  return (request, response, next) => {
    try {
      check(request);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return sendFailure(response, basePath, error, {});
    }
    return next();
  };
}

function sendFailure(
  response: Response,
  basePath: string,
  { code, message, details }: Failure,
  failures: Readonly<Record<string, number>>,
): void {
  const status = failures[code] ?? commonFailures[code] ?? 400;
  if (status === 429 && details?.['retryAfter'] !== undefined)
    response.setHeader('Retry-After', String(details['retryAfter']));
  sendPage(response, basePath, failurePage(status, message));
}

/** `next` is a page with which the person can continue. */
function failurePage(status: number, message: string, next = new Html('')): Page {
  return { status, title: 'This did not work', body: html`<p class="error" role="alert">${message}</p>${next}` };
}

/** Reports that a sign-in at another site has failed. */
export function failedSignInPage(basePath: string, status: number, message: string): Page {
  return failurePage(status, message, html`<p><a href="${basePath}/sign-in">Sign in again</a></p>`);
}

/** The fields of a form that was sent; each at most once. */
export function formFields(request: Request): Readonly<Record<string, string>> {
  const entries = Object.entries((request.body ?? {}) as Record<string, unknown>);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** A hidden field of a form; nothing without a value. */
export function hiddenField(name: string, value: string | null | undefined): Html {
  return value == null ? new Html('') : html`<input type="hidden" name="${name}" value="${value}">`;
}
