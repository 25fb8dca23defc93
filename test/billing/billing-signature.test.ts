import { expect } from 'chai';
import Stripe from 'stripe';
import { verifyBillingSignature } from '#src/billing/billing-signature.js';

const secret = 'whsec_test_secret';
const timestamp = 1_700_000_000;
const now = new Date(timestamp * 1000);
const body = '{"id":"evt_1","object":"event","type":"customer.subscription.updated"}';
const v1 = '09b11793a2b4b7d27e516fc549d6675a009087bf8777f2516ae4c273ba51ce72';

function verify(header: string | undefined, { text = body, at = now, with: key = secret } = {}): boolean {
  return verifyBillingSignature(key, Buffer.from(text), header, at);
}

function headerAt(seconds: number, payload = body, key = secret): string {
  return Stripe.webhooks.generateTestHeaderString({ payload, secret: key, timestamp: seconds });
}

describe('billing webhook signatures', () => {
  it("matches the test vector and the vendor's own client", () => {
    expect(verify(`t=${timestamp},v1=${v1}`)).to.equal(true);
    expect(headerAt(timestamp)).to.equal(`t=${timestamp},v1=${v1}`);
  });

  it('accepts one valid signature of several during secret rotation', () => {
    expect(verify(`t=${timestamp},v1=${'0'.repeat(64)},v1=${v1}`)).to.equal(true);
    expect(verify(`t=${timestamp},v1=${v1},v1=${'0'.repeat(64)},v0=${'1'.repeat(64)}`)).to.equal(true);
  });

  it('verifies the raw bytes of the body', () => {
    const text = '{"name":"Zoë 🎉","note":"\\u00e9"}';
    expect(verify(headerAt(timestamp, text), { text })).to.equal(true);
    expect(verify(headerAt(timestamp, text), { text: JSON.stringify(JSON.parse(text)) })).to.equal(false);
  });

  it('accepts timestamps within five minutes', () => {
    for (const seconds of [-300, -1, 0, 1, 300])
      expect(verify(headerAt(timestamp + seconds)), `${seconds}`).to.equal(true);
    for (const seconds of [-301, 301, -86_400, 86_400 * 365])
      expect(verify(headerAt(timestamp + seconds)), `${seconds}`).to.equal(false);
  });

  const bad: readonly [string, string | undefined][] = [
    ['absent', undefined],
    ['empty', ''],
    ['without a time', `v1=${v1}`],
    ['without a signature', `t=${timestamp}`],
    ['of another time', `t=${timestamp + 1},v1=${v1}`],
    ['of two times', `t=${timestamp},t=${timestamp},v1=${v1}`],
    ['of no time', `t=NaN,v1=${v1}`],
    ['of a time with more to it', `t=${timestamp}abc,v1=${v1}`],
    ['of an older scheme', `t=${timestamp},v0=${v1}`],
    ['cut short', `t=${timestamp},v1=${v1.slice(0, 62)}`],
    ['no hex', `t=${timestamp},v1=${'z'.repeat(64)}`],
    ['of another secret', headerAt(timestamp, body, 'whsec_other')],
    ['of another body', headerAt(timestamp, `${body} `)],
    ['too long', `t=${timestamp},v1=${v1},${'v1=0,'.repeat(1000)}`],
  ];
  for (const [name, header] of bad)
    it(`rejects a signature when ${name}`, () => expect(verify(header)).to.equal(false));
});
