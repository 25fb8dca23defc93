/** Error codes of JSON-RPC and of MCP. */
export const rpcCodes = {
  invalidRequest: -32600,
  invalidParams: -32602,
  internalError: -32603,
  resourceNotFound: -32002,
  rejected: -32000,
} as const;

/** An error of the protocol, such as invalid parameters, in contrast to a failed tool call. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';

  constructor(
    readonly code: number,
    message: string,
    readonly data?: object,
  ) {
    super(message);
  }
}
