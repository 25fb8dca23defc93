import { IdentityProviders } from '../access/auth/oidc/identity-providers.js';
import { mapInParallel } from '../kernel/waiting.js';
import { type Config } from '../platform/config.js';
import { type UnitOfWork } from '../platform/database/unit-of-work.js';
import { createLog } from '../platform/log.js';
import { MailServer } from '../platform/mail/mail-server.js';
import { createMailTransport } from '../platform/mail/transport.js';
import { openSecrets } from '../platform/secrets/master-key.js';
import { type Finding, finding, toMessage, Warning } from './finding.js';

/** Whether people can sign in: by mail and at identity providers. Null before the first migration. */
export async function diagnoseSignIn(config: Config, unitOfWork: UnitOfWork | null): Promise<Finding[]> {
  const findings = [await finding('Mail', () => reachesMailServer(config, unitOfWork))];
  if (unitOfWork === null) return findings;
  const providers = new IdentityProviders(config, unitOfWork, openSecrets(config), createLog('silent'));
  const known = await providers.list().catch(() => []);
  const ofProviders = await mapInParallel(known, (terms) =>
    finding(`Sign-in with ${terms.name}`, async () => {
      try {
        await providers.check(terms);
        return `${terms.issuer} is an identity provider`;
      } catch {
        throw new Error(`no identity provider answers at ${terms.issuer}`);
      }
    }),
  );
  return [...findings, ...ofProviders];
}

async function reachesMailServer(config: Config, unitOfWork: UnitOfWork | null): Promise<string> {
  const server = unitOfWork === null ? null : new MailServer(config, unitOfWork, openSecrets(config));
  const transport = server === null ? await createMailTransport(config) : await server.transport();
  if (transport === null) {
    if (config.NODE_ENV === 'production')
      throw new Warning(
        'no mail server is set up, so sign-in by mailed code does not work; set it up on the page "Mail and sign-in", or set SMTP_URL',
      );
    return 'no mail server; "npx commissions mail" prints mails';
  }
  const name = config.SMTP_URL === undefined ? 'the mail server of the page "Mail and sign-in"' : 'SMTP_URL';
  try {
    await transport.verify();
    return 'the server is reachable and accepts the login';
  } catch (error) {
    throw new Error(`connecting to ${name} failed: ${toMessage(error)}`);
  } finally {
    transport.close();
  }
}
