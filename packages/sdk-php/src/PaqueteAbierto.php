<?php

declare(strict_types=1);

namespace Acuse;

/**
 * A package whose bytes come as it is iterated. A connection that breaks is taken up where it broke, by a new URL: a byte
 * that came is not asked for again. Ends with `PAQUETE_DANADO` unless exactly the bytes came that the service stored.
 *
 * @implements \IteratorAggregate<int, string>
 */
final class PaqueteAbierto implements \IteratorAggregate
{
    public readonly int $bytes;
    /** Hexadecimal. */
    public readonly string $sha256;
    private readonly string $firstUrl;

    /**
     * @internal
     * @param \Closure(): array<string, mixed> $locate The data of `descarga/paquete`.
     * @param \Closure(int, int): void|null $alRecibir
     */
    public function __construct(
        private readonly Transport $transport,
        private readonly \Closure $locate,
        private readonly ?\Closure $alRecibir,
    ) {
        $paquete = $locate();
        $this->bytes = $paquete['bytes'];
        $this->sha256 = $paquete['sha256'];
        $this->firstUrl = $paquete['paquete_url'];
    }

    /** @return \Generator<int, string> */
    public function getIterator(): \Generator
    {
        $hash = hash_init('sha256');
        $came = 0;
        $url = $this->firstUrl;
        $body = null;
        $read = function () use (&$came, &$url, &$body): string {
            try {
                if ($body === null) {
                    $body = $this->bodyOf($url ?? ($this->locate)()['paquete_url'], $came);
                } else {
                    $body->next();
                }
                return $body->valid() ? $body->current() : throw new AcuseError(Errores::SIN_CONEXION);
            } catch (AcuseError $error) {
                // The URL may have expired meanwhile.
                $body = $url = null;
                throw $error;
            }
        };
        while ($came < $this->bytes) {
            $chunk = $this->transport->withRetries($read);
            $came += strlen($chunk);
            hash_update($hash, $chunk);
            if ($this->alRecibir !== null) {
                ($this->alRecibir)($came, $this->bytes);
            }
            if ($came > $this->bytes || ($came === $this->bytes && hash_final($hash) !== $this->sha256)) {
                throw new AcuseError(Errores::PAQUETE_DANADO);
            }
            yield $chunk;
        }
    }

    /**
     * The bytes of an address from one on. Silence longer than the time of a try is a broken connection.
     *
     * @return \Generator<int, string>
     */
    private function bodyOf(string $url, int $from): \Generator
    {
        $curl = $this->transport->open($url);
        $http = 0;
        $came = [];
        curl_setopt_array($curl, [
            CURLOPT_HTTPHEADER => $from === 0 ? [] : ["Range: bytes=$from-"],
            CURLOPT_WRITEFUNCTION => static function (\CurlHandle $curl, string $chunk) use (&$came, &$http): int {
                $http = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
                $came[] = $chunk;
                return strlen($chunk);
            },
        ]);
        $multi = curl_multi_init();
        curl_multi_add_handle($multi, $curl);
        $silentSince = hrtime(true);
        $skip = $from;
        try {
            do {
                $status = curl_multi_exec($multi, $isActive);
                foreach ($http === 200 || $http === 206 ? $came : [] as $chunk) {
                    // A server may give everything instead of the rest.
                    $rest = $http === 206 ? $chunk : substr($chunk, min($skip, strlen($chunk)));
                    $skip -= strlen($chunk) - strlen($rest);
                    if ($rest !== '') {
                        yield $rest;
                    }
                }
                if ($came !== []) {
                    $silentSince = hrtime(true);
                }
                $came = [];
                $left = $this->transport->plazo - (hrtime(true) - $silentSince) / 1e9;
                if ($left <= 0) {
                    throw new AcuseError(Errores::SIN_CONEXION);
                }
                if ($isActive) {
                    curl_multi_select($multi, min(1.0, $left));
                }
            } while ($isActive && $status === CURLM_OK);
            $http = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
            if ($http !== 0 && $http !== 200 && $http !== 206) {
                throw new AcuseError(Errores::RESPUESTA_ILEGIBLE, http: $http);
            }
            // Also at a right end: whoever reads knows how many bytes come.
            throw Transport::broken($curl);
        } finally {
            curl_multi_remove_handle($multi, $curl);
            curl_multi_close($multi);
        }
    }
}
