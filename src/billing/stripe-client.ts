import { type Stripe } from 'stripe';
import { timeLimit } from '../kernel/time-limit.js';

export interface StripeSettings {
  readonly apiKey: string;
  readonly apiBase: string;
}

/** The provider is unreachable or rejects our credentials. The customer is not at fault, so the query is retried. */
export class BillingUnavailable extends Error {
  override readonly name = 'BillingUnavailable';

  constructor(
    message: string,
    readonly retryAfterMs: number | null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The provider rejects the request itself, so that it is not repeated. */
export class BillingRejected extends Error {
  override readonly name = 'BillingRejected';
}

const timeoutMs = timeLimit(20_000);

/** Loads the library, which most installations never need. */
export async function stripeClient({ apiKey, apiBase }: StripeSettings): Promise<Stripe> {
  const { default: Stripe } = await import('stripe');
  const { protocol, hostname, port } = new URL(apiBase);
  return new Stripe(apiKey, {
    protocol: protocol === 'http:' ? 'http' : 'https',
    host: hostname,
    ...(port === '' ? {} : { port }),
    telemetry: false,
    timeout: timeoutMs,
  });
}

/**
 * Converts outages and credential problems to {@link BillingUnavailable} and other rejections to {@link BillingRejected}. Drops
 * the provider's message, which may contain the API key.
 */
export async function withStripeErrors<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    const { default: Stripe } = await import('stripe');
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    const { statusCode = 0, type, code } = error;
    const reason = `the billing provider responded with ${statusCode || 'nothing'} (${code ?? type})`;
    if (statusCode >= 400 && statusCode < 500 && ![401, 403, 409, 429].includes(statusCode))
      throw new BillingRejected(reason);
    const seconds = Number(error.headers?.['retry-after']);
    throw new BillingUnavailable(reason, Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : null);
  }
}
