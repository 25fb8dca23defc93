import { expect } from 'chai';
import { Service } from '#test/support/service.js';

const perMinute = 5;

describe('the header X-Forwarded-For', () => {
  const direct = Service.duringSuite({ settings: { PUBLIC_REQUESTS_PER_MINUTE: String(perMinute) }, worker: false });
  const proxied = Service.duringSuite({
    settings: { PUBLIC_REQUESTS_PER_MINUTE: String(perMinute), TRUST_PROXY_HOPS: '1' },
    worker: false,
  });

  /** The statuses of more requests than an address may send. */
  async function statuses(url: string, forwarded: (at: number) => string): Promise<number[]> {
    const found: number[] = [];
    for (let at = 0; at <= perMinute; at += 1) {
      const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': forwarded(at) };
      found.push((await fetch(`${url}/auth/otp/send`, { method: 'POST', headers, body: '{' })).status);
    }
    return found;
  }
  const limited = [...Array(perMinute).fill(400), 429];

  it('is ignored without a trusted proxy, so that no client chooses its address', async () => {
    expect(await statuses(direct.url, (at) => `192.0.2.${at}`)).to.deep.equal(limited);
  });

  it('counts only the entries of trusted proxies, and not those that a client sent to them', async () => {
    expect(await statuses(proxied.url, (at) => `192.0.2.${at}, 198.51.100.7`)).to.deep.equal(limited);
    expect(await statuses(proxied.url, (at) => `203.0.113.${at}`)).to.deep.equal(Array(perMinute + 1).fill(400));
  });
});
