import { expect } from 'chai';
import { dealOfKey, isRefundKey, parseRefundKey, refundKey } from '#src/engine/clawback.js';

describe('the key of an event of a refund', () => {
  it('names the deal and the refund, also of a deal whose id has colons', () => {
    for (const dealId of ['D1', 'crm:7', 'refund:D1']) {
      const key = refundKey(dealId, 'R1');
      expect(isRefundKey(key)).to.equal(true);
      expect(parseRefundKey(key)).to.deep.equal({ dealId, refundId: 'R1' });
      expect(dealOfKey(key)).to.equal(dealId);
    }
  });

  it('is not that of a deal or of a period', () => {
    for (const key of ['D1', 'crm:7', '2026-Q1']) {
      expect(parseRefundKey(key)).to.equal(null);
      expect(dealOfKey(key)).to.equal(key);
    }
  });
});
