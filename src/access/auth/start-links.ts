import { createHash, randomBytes } from 'node:crypto';

/** What a start link does: sign in as a person, or create the first workspace. */
type StartLinkTarget =
  | { readonly kind: 'sign_in'; readonly workspaceId: string; readonly repId: string }
  | { readonly kind: 'set_up' };

const validMs = 24 * 60 * 60_000;

/**
 * Links that the terminal shows at the start. Each works once, within a day, and only in the process that printed it:
 * nothing is stored.
 */
export class StartLinks {
  private readonly links = new Map<string, { readonly target: StartLinkTarget; readonly expiresAt: number }>();

  /** Returns the token of a new link. */
  create(target: StartLinkTarget): string {
    const token = randomBytes(24).toString('base64url');
    this.restore(token, target);
    return token;
  }

  /** Lets the link that was taken work again, for a request that failed. */
  restore(token: string, target: StartLinkTarget): void {
    this.links.set(hashToken(token), { target, expiresAt: Date.now() + validMs });
  }

  /** The target of the link, which then ends; null for unknown, used and expired tokens. */
  take<Kind extends StartLinkTarget['kind']>(
    token: string,
    kind: Kind,
  ): Extract<StartLinkTarget, { kind: Kind }> | null {
    const hash = hashToken(token);
    const link = this.links.get(hash);
    if (link === undefined || link.expiresAt < Date.now() || link.target.kind !== kind) return null;
    this.links.delete(hash);
    return link.target as Extract<StartLinkTarget, { kind: Kind }>;
  }
}

function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
