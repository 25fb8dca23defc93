import { FailedSignIns } from '../../access/auth/failed-sign-ins.js';
import { IdentityProviders } from '../../access/auth/oidc/identity-providers.js';
import { SessionProofs } from '../../access/auth/session-proofs.js';
import { SignIns } from '../../access/auth/sign-ins.js';
import { StartLinks } from '../../access/auth/start-links.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK, CONFIG, DATABASE, LOG } from '../../platform/injection-tokens.js';
import { AttemptLimits } from '../../platform/limits/attempt-limits.js';
import { type PartContainer } from '../../platform/part-container.js';
import { openSecrets } from '../../platform/secrets/master-key.js';
import { Secrets } from '../../platform/secrets/secrets.js';

/** Who may sign in, and the secrets of the workspaces. */
export function provideAccess(parts: PartContainer): void {
  parts
    .provide(Secrets, () => openSecrets(parts.resolve(CONFIG)))
    .provide(
      AttemptLimits,
      () => new AttemptLimits(parts.resolve(DATABASE), parts.resolve(CONFIG).FAILED_SIGN_INS_PER_MINUTE),
    )
    .provideClass(FailedSignIns, [UnitOfWork, Secrets, AttemptLimits, LOG])
    .provideClass(IdentityProviders, [CONFIG, UnitOfWork, Secrets, LOG])
    .provideClass(SignIns, [UnitOfWork, CLOCK])
    .provideClass(SessionProofs, [UnitOfWork])
    .provideClass(StartLinks, []);
}
