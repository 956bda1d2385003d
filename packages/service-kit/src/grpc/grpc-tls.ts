import type { GrpcClientOptions, GrpcServerOptions } from '@waymark/proto';
import Type from 'typebox';

const secret = (format: string, description: string) =>
  Type.Optional(Type.String({ format, writeOnly: true, description }));

const certificates = {
  GRPC_TLS_CA: secret(
    'pem-certificate',
    'The certificate of the authority that signed the services’ certificates; if it is set, gRPC uses TLS.',
  ),
  GRPC_TLS_CERT: secret(
    'pem-certificate',
    'The certificate of this service for gRPC, followed by any intermediate certificates.',
  ),
  GRPC_TLS_KEY: secret('pem-private-key', 'The private key of that certificate.'),
};

/** The variables of a process that calls other services over gRPC. Its schema also needs {@link grpcClientTlsRules}. */
export const grpcClientTlsConfig = certificates;
/** A certificate needs its key. It also needs the CA, so that only a verified server receives it. */
export const grpcClientTlsRules = {
  keyPair: ['GRPC_TLS_CERT', 'GRPC_TLS_KEY'],
  dependentRequired: { GRPC_TLS_CERT: ['GRPC_TLS_KEY', 'GRPC_TLS_CA'], GRPC_TLS_KEY: ['GRPC_TLS_CERT'] },
};

/** The variables of a process that also serves gRPC. Its schema also needs {@link grpcServerTlsRules}. */
export const grpcServerTlsConfig = {
  ...certificates,
  GRPC_TLS_CLIENT_CERTIFICATES: Type.Boolean({
    default: true,
    description: 'Whether gRPC clients must present a certificate of that authority (mTLS), if gRPC uses TLS.',
  }),
};
/** All three variables or none: a service must not call over TLS and serve in plain text. */
export const grpcServerTlsRules = {
  keyPair: ['GRPC_TLS_CERT', 'GRPC_TLS_KEY'],
  dependentRequired: {
    GRPC_TLS_CA: ['GRPC_TLS_CERT'],
    GRPC_TLS_CERT: ['GRPC_TLS_KEY', 'GRPC_TLS_CA'],
    GRPC_TLS_KEY: ['GRPC_TLS_CERT'],
  },
};

interface ClientTls {
  GRPC_TLS_CA?: string;
  GRPC_TLS_CERT?: string;
  GRPC_TLS_KEY?: string;
}

/** Returns the TLS options of a gRPC client. Returns none, which means plain text, if no CA is configured. */
export function grpcClientTls({
  GRPC_TLS_CA: ca,
  GRPC_TLS_CERT: cert,
  GRPC_TLS_KEY: key,
}: ClientTls): Pick<GrpcClientOptions, 'tls'> {
  if (ca === undefined) return {};
  return { tls: { ca, ...(cert !== undefined && key !== undefined ? { cert, key } : {}) } };
}

/** Returns the TLS options of a gRPC server. Returns none, which means plain text, if no certificate is configured. */
export function grpcServerTls(
  config: ClientTls & { GRPC_TLS_CLIENT_CERTIFICATES: boolean },
): Pick<GrpcServerOptions, 'tls'> {
  const { GRPC_TLS_CA: ca, GRPC_TLS_CERT: cert, GRPC_TLS_KEY: key } = config;
  if (ca === undefined || cert === undefined || key === undefined) return {};
  return { tls: { cert, key, ...(config.GRPC_TLS_CLIENT_CERTIFICATES ? { clientCa: ca } : {}) } };
}
