import { z } from 'zod';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { AttemptLimits } from '../../../platform/limits/attempt-limits.js';
import { operation } from '../../../platform/operations/operation.js';
import { openSession } from '../open-session.js';
import { invalidStartLink, type Session, session, sessionExample, startLinkToken } from '../sign-in.js';
import { StartLinks } from '../start-links.js';

const body = z.strictObject({ token: startLinkToken });

export const openStartLink = operation({
  id: 'openStartLink',
  summary: 'Sign in with a link that the terminal shows at the start of the service; each link works once',
  method: 'post',
  path: '/auth/start-link',
  access: 'public',
  body,
  response: session,
  secret: true,
  browserSignIn: 'code',
  failures: { invalid_start_link: 401 },
  example: { body: { token: 'c3RhcnQtbGluaw' }, response: sessionExample },
  uses: { unitOfWork: UnitOfWork, limits: AttemptLimits, links: StartLinks, clock: CLOCK },
  async execute({ body: { token } }, caller, { unitOfWork, limits, links, clock }): Promise<Session> {
    const address = caller.address ?? '';
    limits.assertNotBlocked(address);
    const target = links.take(token, 'sign_in');
    if (target === null) {
      await limits.countFailure(address);
      throw invalidStartLink();
    }
    const opened = await unitOfWork.write(target, (tx) => openSession(tx, target, 'start_link', clock));
    if (opened === null) throw invalidStartLink();
    return opened;
  },
});
