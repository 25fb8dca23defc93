import { z } from 'zod';
import { Failure } from '../kernel/failure.js';
import { email, rep } from '../reps/rep.js';

/** How somebody has shown who they are. */
export type SignInMethod = 'otp' | 'oidc';

/** One of the workspaces in which an address belongs to somebody active. */
export interface SignIn {
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly repId: string;
}

/** An address as it is typed in. One with a line break is refused, though trimming would mend it: nobody types that. */
export const typedEmail = z
  .string()
  .max(1000)
  .refine((text) => !/[\r\n]/.test(text), 'must be one line')
  .pipe(email);

/** What a sign-in answers. The token is told here and never again; `expiresAt` is its end however often it is used. */
export const session = z.object({ sessionToken: z.string(), expiresAt: z.string(), rep });
export type Session = z.input<typeof session>;

/** The same for every cause: it must not tell a wrong code from an old one, or from an address that nobody has. */
export function invalidCode(): Failure {
  return new Failure(
    'invalid_code',
    'The code is wrong or no longer valid. Ask for a new one with POST /auth/otp/send.',
  );
}

/** Only for who has shown that the address is theirs. */
export function chooseWorkspace(signIns: readonly SignIn[]): Failure {
  return new Failure('VALIDATION_FAILED', 'workspaceId: this address is known in several workspaces; give one.', {
    issues: [{ path: 'workspaceId', message: 'is needed: this address is known in several workspaces' }],
    workspaces: signIns.map(({ workspaceId, workspaceName }) => ({ workspaceId, name: workspaceName })),
  });
}
