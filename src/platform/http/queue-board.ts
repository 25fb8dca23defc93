import { createHmac, timingSafeEqual } from 'node:crypto';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import { type Express, type Request, type RequestHandler, type Response, urlencoded } from 'express';
import { type JobQueue } from '../jobs/job-queue.js';
import { type AttemptLimits } from '../limits/attempt-limits.js';
import { hasBearerToken } from './metrics-page.js';

const basePath = '/admin/queues';
const cookieName = 'queue_board';
const signedInMs = 15 * 60_000;

interface BoardTerms {
  readonly token: string;
  readonly mayWrite: boolean;
  /** Browsers use TLS, even if a proxy terminates it. */
  readonly overTls: boolean;
  readonly attemptLimits: AttemptLimits;
}

/**
 * The queue board. It shows the jobs of all workspaces, so it is not for the admins of a workspace but only for
 * holders of the operator's token: as a bearer token, or typed into a form that sets a cookie for a quarter of an
 * hour. The cookie is sent only to the board, not on navigation from other sites, and no script can read it.
 */
export function queueBoard(
  queue: JobQueue,
  { token, mayWrite, overTls, attemptLimits }: BoardTerms,
): (app: Express) => void {
  return (app) => {
    const adapter = new ExpressAdapter().setBasePath(basePath);
    createBullBoard({
      queues: [new BullMQAdapter(queue.forBoard(), { readOnlyMode: !mayWrite })],
      serverAdapter: adapter,
    });
    app.use(basePath, boardHeaders);
    app.get(`${basePath}/sign-in`, (_request, response) => {
      response.send(signInPage);
    });
    app.post(`${basePath}/sign-in`, urlencoded({ extended: false, limit: '1kb' }), async (request, response) => {
      const given = (request.body as { token?: unknown } | undefined)?.token;
      attemptLimits.assertNotBlocked(request.ip ?? '');
      if (typeof given !== 'string' || !hasBearerToken(`Bearer ${given}`, token)) {
        await attemptLimits.countFailure(request.ip ?? '');
        response.status(401).send(signInPage);
        return;
      }
      signIn(response, token, overTls || request.secure);
      response.redirect(303, basePath);
    });
    app.use(basePath, admit(token, attemptLimits), adapter.getRouter());
  };
}

/** The board's own scripts and styles, and nothing from other origins. */
const boardHeaders: RequestHandler = (_request, response, next) => {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader(
    'Content-Security-Policy',
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
      "connect-src 'self'; form-action 'self'; base-uri 'self'; frame-ancestors 'none'",
  );
  next();
};

function admit(token: string, attemptLimits: AttemptLimits): RequestHandler {
  return async (request, response, next) => {
    if (isSignedIn(request, token)) return next();
    const { authorization } = request.headers;
    if (authorization === undefined) {
      response.redirect(303, `${basePath}/sign-in`);
      return;
    }
    attemptLimits.assertNotBlocked(request.ip ?? '');
    if (hasBearerToken(authorization, token)) return next();
    await attemptLimits.countFailure(request.ip ?? '');
    response.status(401).send(signInPage);
  };
}

function signIn(response: Response, token: string, secure: boolean): void {
  const until = Date.now() + signedInMs;
  response.cookie(cookieName, `${until}.${sign(token, until)}`, {
    path: basePath,
    maxAge: signedInMs,
    httpOnly: true,
    sameSite: 'strict',
    secure,
  });
}

function isSignedIn(request: Request, token: string): boolean {
  const [, until, given = ''] =
    new RegExp(`(?:^|; )${cookieName}=(\\d{1,15})\\.([\\w-]{43})(?:;|$)`).exec(request.headers.cookie ?? '') ?? [];
  if (until === undefined || Number(until) < Date.now()) return false;
  return timingSafeEqual(Buffer.from(given), Buffer.from(sign(token, Number(until))));
}

/** Sessions are not stored: every API process can verify the cookie that another process has signed. */
function sign(token: string, until: number): string {
  return createHmac('sha256', token).update(`${cookieName} until ${until}`).digest('base64url');
}

const signInPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Queue board</title>
<body style="font: 16px sans-serif; max-width: 24rem; margin: 4rem auto">
<h1>Queue board</h1>
<form method="post" action="${basePath}/sign-in">
<label>Operator's token (QUEUE_BOARD_TOKEN)<br><input type="password" name="token" required autofocus autocomplete="off"></label>
<button>Open</button>
</form>
</body>
</html>
`;
