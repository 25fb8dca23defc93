/** What replaces the data of an erased person. It follows from the id alone, so that erasing twice changes nothing. */
export interface Pseudonym {
  readonly name: string;
  readonly email: string;
  /** Replaces the CRM member id and the payroll id. */
  readonly externalId: string;
}

const domain = 'erased.invalid';

export function createPseudonym(repId: string): Pseudonym {
  const externalId = `erased-${repId}`;
  return { name: `Erased person ${repId.slice(0, 8)}`, email: `${externalId}@${domain}`, externalId };
}

/** Whether the person behind the address is erased. The top-level domain `invalid` receives no mail. */
export function isErased(email: string): boolean {
  return email.endsWith(`@${domain}`);
}
