/** The result of a check: what was found, or how to fix it. A warning does not prevent the start. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly message: string;
}

/** Thrown by a check for a problem that does not prevent the service from working. */
export class Warning extends Error {}

export async function finding(check: string, look: () => Promise<string>): Promise<Finding> {
  try {
    return { check, state: 'ok', message: await look() };
  } catch (error) {
    return { check, state: error instanceof Warning ? 'warning' : 'failed', message: toMessage(error) };
  }
}

export function toMessage(error: unknown): string {
  return error instanceof Error
    ? error.message || String((error as { code?: string }).code ?? error.name)
    : String(error);
}
