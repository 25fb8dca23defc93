import { expect } from 'chai';
import { type ApiResponse } from './api-client.js';

/** An error response by status and code, such as `409 statement_locked`. */
export type ExpectedError = `${number} ${string}`;

/** Expects the error in the envelope of the specification, with the address of its explanation, and returns its body. */
export async function expectError(
  expected: ExpectedError,
  request: ApiResponse | Promise<ApiResponse>,
  about = '',
): Promise<ApiResponse['body']> {
  const { status, headers, body } = await request;
  const code = expected.split(' ')[1];
  expect(`${status} ${body?.code}`, `${about} ${JSON.stringify(body).slice(0, 400)}`).to.equal(expected);
  const { details, ...envelope } = body;
  expect(Object.keys(envelope)).to.deep.equal(['statusCode', 'code', 'message', 'docs']);
  expect(envelope).to.deep.include({ statusCode: status, code });
  expect(envelope.docs).to.satisfy((docs: string) => docs.endsWith(`/docs/errors#${code?.toLowerCase()}`));
  expect(envelope.message).to.be.a('string').with.length.within(1, 2000);
  if ('details' in body) expect(details).to.be.an('object');
  if (code === 'VALIDATION_FAILED' && details !== undefined)
    for (const issue of details.issues.slice(0, 20)) expect(issue).to.have.all.keys('path', 'message');
  expect(headers.get('x-request-id')).to.be.a('string').with.length.greaterThan(0);
  expect(headers.get('content-type')).to.match(/^application\/json/);
  return body;
}
