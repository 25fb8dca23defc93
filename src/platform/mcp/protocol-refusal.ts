import { type ErrorBody } from '../error-response.js';

/** Codes of JSON-RPC and of the protocol above it. */
export const rpcCodes = {
  invalidParams: -32602,
  internalError: -32603,
  resourceNotFound: -32002,
  refused: -32000,
} as const;

/** What the protocol itself calls an error: nothing that a tool was asked, but the asking. */
export class ProtocolRefusal extends Error {
  override readonly name = 'ProtocolRefusal';

  constructor(
    readonly code: number,
    message: string,
    readonly data?: ErrorBody,
  ) {
    super(message);
  }
}
