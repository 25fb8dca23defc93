import { type ApiClient } from '#test/support/api-client.js';
import { type Service } from '#test/support/service.js';
import { type PayWorkspace } from '../pay/payables/pay-service.js';
import { Books } from './finance-service.js';

/** Books of a world in which two admins close months. */
export class Closings {
  static readonly policy = { from: '2026-01', position: 1, match: {}, treatment: 'capitalise', period: { months: 36 } };

  private constructor(
    readonly books: Books,
    readonly ann: ApiClient,
    readonly ned: ApiClient,
  ) {}

  static async open(service: Service, options: object = {}): Promise<Closings> {
    const books = await Books.open(service, { payout: null, ...options });
    const [ann, ned] = await books.work.api.saveReps(
      { email: 'ann@acme.test', name: 'Ann', role: 'admin' },
      { email: 'ned@acme.test', name: 'Ned', role: 'admin' },
    );
    return new Closings(books, await books.work.as(ann as string), await books.work.as(ned as string));
  }

  get work(): PayWorkspace {
    return this.books.work;
  }

  /** Closes the months, and returns the hash of the last one. */
  async close(...months: readonly string[]): Promise<string> {
    let last = '';
    for (const month of months) {
      await this.work.checked();
      const { hash } = await this.ann.expect(200, 'POST', `/v1/accounting/months/${month}/prepare`);
      await this.ned.expect(200, 'POST', `/v1/accounting/months/${month}/close`, { hash });
      last = hash;
    }
    return last;
  }

  propose(name: string, terms: object = {}) {
    const policy = { ...Closings.policy, ...terms };
    return this.ann.expect(201, 'POST', `/v1/accounting/policies/${name}/versions`, policy);
  }

  /** A policy that is proposed by one admin and approved by the other. */
  async capitalise(terms: object = {}): Promise<void> {
    const { version } = await this.propose('Contracts', terms);
    await this.ned.expect(200, 'POST', `/v1/accounting/policies/Contracts/versions/${version}/approve`);
  }

  /** The status and the code with which a request about a month is rejected. */
  async rejection(client: ApiClient, path: string, body: object = {}) {
    const response = await client.post(`/v1/accounting/months/${path}`, body);
    return [response.status, response.body.code];
  }
}
