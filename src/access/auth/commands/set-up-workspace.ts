import { sql } from 'kysely';
import { z } from 'zod';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { AttemptLimits } from '../../../platform/limits/attempt-limits.js';
import { operation } from '../../../platform/operations/operation.js';
import { currency, text } from '../../../platform/operations/schemas.js';
import { createWorkspace } from '../../workspaces/create-workspace.js';
import { timeZone } from '../../workspaces/workspace.js';
import { openSession } from '../open-session.js';
import {
  invalidStartLink,
  type Session,
  type SignIn,
  session,
  sessionExample,
  startLinkToken,
  typedEmail,
} from '../sign-in.js';
import { findSignIns } from '../sign-in-views.js';
import { StartLinks } from '../start-links.js';

const body = z.strictObject({
  token: startLinkToken,
  name: text(200).describe('Name of the workspace'),
  currency: currency.describe('Currency of the workspace, ISO 4217 code'),
  timezone: timeZone.describe('IANA time zone of days and periods, such as Europe/Berlin'),
  adminName: text(200).describe('Name of the first admin'),
  adminEmail: typedEmail.describe('E-mail address of the first admin'),
});

export const setUpWorkspace = operation({
  id: 'setUpWorkspace',
  summary:
    'Create the first workspace and its admin, and sign in, with the link that the terminal shows at the start of a service without workspaces',
  method: 'post',
  path: '/auth/set-up',
  access: 'public',
  body,
  response: session,
  status: 201,
  secret: true,
  browserSignIn: 'code',
  failures: { invalid_start_link: 401 },
  example: {
    body: {
      token: 'c3RhcnQtbGluaw',
      name: 'Acme',
      currency: 'USD',
      timezone: 'UTC',
      adminName: 'Mia',
      adminEmail: 'mia@acme.test',
    },
    response: sessionExample,
  },
  uses: { unitOfWork: UnitOfWork, limits: AttemptLimits, links: StartLinks, clock: CLOCK },
  async execute({ body: { token, ...workspace } }, caller, { unitOfWork, limits, links, clock }): Promise<Session> {
    const address = caller.address ?? '';
    limits.assertNotBlocked(address);
    if (links.take(token, 'set_up') === null) {
      await limits.countFailure(address);
      throw invalidStartLink();
    }
    const { workspaceId } = await createWorkspace(unitOfWork, { ...workspace, tier: 'enterprise' }).catch((error) => {
      links.restore(token, { kind: 'set_up' });
      throw error;
    });
    const [admin] = await unitOfWork.withoutWorkspace((tx) => findSignIns(tx, workspace.adminEmail, workspaceId));
    const opened = await unitOfWork.write({ workspaceId }, async (tx) => {
      // Who has read the link in the terminal operates the installation.
      await sql`select claim_installation()`.execute(tx.db);
      return openSession(tx, admin as SignIn, 'start_link', clock);
    });
    return opened as Session;
  },
});
