import { z } from 'zod';
import { Failure } from '../../kernel/failure.js';
import { email, rep, repExample } from '../../people/reps/rep.js';

/** How a person has authenticated. */
export type SignInMethod = 'otp' | 'oidc' | 'start_link';

/** A workspace in which the address belongs to an active person. */
export interface SignIn {
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly repId: string;
}

/** An address as typed. Line breaks are rejected although trimming would remove them: no person types them. */
export const typedEmail = z
  .string()
  .max(1000)
  .refine((text) => !/[\r\n]/.test(text), 'must be one line')
  .pipe(email);

export const startLinkToken = z
  .string()
  .max(100)
  .describe('Token of the link that the terminal shows at the start of the service');

/** The response of a sign-in. The token is shown only here; `expiresAt` is its end regardless of use. */
export const session = z.object({
  sessionToken: z.string().describe('Session token for the Authorization header; returned only once'),
  expiresAt: z.string().describe('When the session ends, regardless of use; instant in ISO 8601'),
  rep,
});
export type Session = z.input<typeof session>;

/** One error for every cause: it must not distinguish wrong codes, expired codes and unknown addresses. */
export function invalidCode(): Failure {
  return new Failure('invalid_code', 'The code is wrong or has expired. Request a new one with POST /auth/otp/send.');
}

export function invalidStartLink(): Failure {
  return new Failure(
    'invalid_start_link',
    'The link was used or has expired. Restart the service to get a new one, or sign in with your e-mail address.',
  );
}

/** Shown only after the address was verified. */
export function chooseWorkspace(signIns: readonly SignIn[]): Failure {
  return new Failure('VALIDATION_FAILED', 'workspaceId: this address exists in several workspaces; specify one.', {
    issues: [{ path: 'workspaceId', message: 'is required: this address exists in several workspaces' }],
    workspaces: signIns.map(({ workspaceId, workspaceName }) => ({ workspaceId, name: workspaceName })),
  });
}

export const sessionExample = { sessionToken: 'sess_…', expiresAt: '2026-02-11T21:00:00.000Z', rep: repExample };
