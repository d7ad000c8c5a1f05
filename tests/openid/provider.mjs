// A certified OpenID provider (npm: oidc-provider) behind TLS; its token endpoint has the path of Entra's.  It knows one
// application, by its certificate's public key alone, and checks what gputide signs: private_key_jwt, RFC 7523.
//
//   node provider.mjs FOLDER    in FOLDER: server.crt, server.key; app.crt; prints "https://localhost:PORT" when it listens
//
// Ends with its stdin.
import { createPublicKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder] = process.argv.slice(2);
const require = createRequire(join(process.cwd(), 'package.json'));
const { default: Provider } = await import(pathToFileURL(require.resolve('oidc-provider')).href);

const file = (name) => readFileSync(join(folder, name));
const publicKey = new X509Certificate(file('app.crt')).publicKey.export({ format: 'jwk' });
const scope = 'https://prometheus.monitor.azure.com/.default';
const tenant = '00000000-0000-0000-0000-00000000000a';

const client = (id, algorithm) => ({
    client_id: id,
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_signing_alg: algorithm,
    jwks: { keys: [{ ...publicKey, use: 'sig', alg: algorithm }] },
    scope,
});

const server = createServer({ cert: file('server.crt'), key: file('server.key') });
server.listen(0, '127.0.0.1', () => {
    const issuer = `https://localhost:${server.address().port}`;
    const provider = new Provider(issuer, {
        clients: [client('00000000-0000-0000-0000-00000000000b', 'PS256'), client('00000000-0000-0000-0000-00000000000c', 'RS256')],
        features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
        routes: { token: `/${tenant}/oauth2/v2.0/token` },
        scopes: [scope],
        ttl: { ClientCredentials: 3599 },
    });
    provider.on('grant.error', (_, error) => console.error(`${error.error}: ${error.error_detail ?? error.error_description}`));
    provider.on('server_error', (_, error) => console.error(error));
    server.on('request', provider.callback());
    console.log(issuer);
});
process.stdin.on('end', () => process.exit(0)).resume();
