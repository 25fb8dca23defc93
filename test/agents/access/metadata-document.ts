import { createServer } from 'node:https';

/** A certificate of this machine that no browser trusts, and its key, for tests only. */
const certificate = `-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIUHYwsBMnLE+XW/AKV4aVA/zYuqhwwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMzAzMDAyNloYDzIxMjYxMDMw
MDMwMDI2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAShFOE8S0XvKUqfI+DRHeIKg02bajOCL12fwkMKY7olo9Re5iDWUZcR
68dpvSQO3sp9WmuQoBN9GIzeML/hI0ERo28wbTAdBgNVHQ4EFgQUA96YyjUKG5BF
Xzm5sljwAG1SsYowHwYDVR0jBBgwFoAUA96YyjUKG5BFXzm5sljwAG1SsYowDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSQAwRgIhAJJM7x1JR9Gx+W3NnsXjNAW/nSC2GXWUt3FUL2c+RyknAiEA
9CaH8rnbiBGCqZ4kw5L9PzRZcfFuFGix1WF1tTOuVmI=
-----END CERTIFICATE-----
`;
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgQ1u6glU2Hki+6S/j
8kKtwccZdqaTlC0LgO9fcumIoXGhRANCAAShFOE8S0XvKUqfI+DRHeIKg02bajOC
L12fwkMKY7olo9Re5iDWUZcR68dpvSQO3sp9WmuQoBN9GIzeML/hI0ER
-----END PRIVATE KEY-----
`;

interface PublishedDocument {
  readonly url: string;
  stop(): Promise<void>;
}

/** Publishes the metadata of a client on this machine over TLS. While it runs, the process trusts every certificate. */
export async function publishDocument(metadata: object): Promise<PublishedDocument> {
  let url = '';
  const server = createServer({ cert: certificate, key }, (_request, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ client_id: url, ...metadata }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `https://127.0.0.1:${(server.address() as { port: number }).port}/client.json`;
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  const stop = async () => {
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    await new Promise((resolve) => server.close(resolve));
  };
  return { url, stop };
}
