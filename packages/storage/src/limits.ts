/** How large a package of the SAT may be before it is refused instead of read. */
export interface PaqueteLimits {
  /** Bytes of the package as the SAT gives it. */
  readonly maxPackageBytes: number;
  /** Bytes of all its recognised files, inflated. */
  readonly maxInflatedBytes: number;
  /** Inflated bytes for each compressed byte of a file, once it has inflated to a MiB. */
  readonly maxRatio: number;
  /** Files in the package, recognised or not. */
  readonly maxEntries: number;
  /** Records in its file of third parties, which are held in memory together. */
  readonly maxTerceros: number;
  /** Bytes of RFCs and names of those third parties. */
  readonly maxTercerosBytes: number;
}

/** Far above what the SAT gives (a request for metadata has at most a million CFDI), far below what would do harm. */
export const DEFAULT_LIMITS: PaqueteLimits = {
  maxPackageBytes: 1_073_741_824,
  maxInflatedBytes: 4_294_967_296,
  maxRatio: 100,
  maxEntries: 1_000,
  maxTerceros: 500_000,
  maxTercerosBytes: 67_108_864,
};
