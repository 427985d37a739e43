<?php

declare(strict_types=1);

namespace Acuse;

/**
 * How a client reaches its service: calls and their repetition.
 *
 * @internal
 */
final class Transport
{
    /** Seconds of the first pause at most; each next one may be twice as long. */
    private const FIRST_PAUSE = 0.5;
    /** Seconds of any pause at most. An answer that asks for more is thrown instead of waited for. */
    private const LONGEST_PAUSE = 20.0;
    /** Seconds that an earlier try of the same call is waited for at most: longer than the service lets one run. */
    private const RUNNING_MAX = 120.0;

    /**
     * @param string $base With `/api/v1/`.
     * @param int $reintentos Repetitions of a call, beside the first try.
     * @param float $plazo Seconds that a single try may take.
     * @param \Closure(float): void $dormir
     * @param \Closure(): float $azar 0 to 1.
     * @param array<int, mixed> $curl Options of every connection.
     */
    public function __construct(
        private readonly string $base,
        #[\SensitiveParameter] private readonly string $llave,
        public readonly string $userAgent,
        private readonly int $reintentos,
        public readonly float $plazo,
        public readonly \Closure $dormir,
        public readonly \Closure $azar,
        private readonly array $curl,
        private readonly ?\Psr\Log\LoggerInterface $registro,
    ) {
    }

    /** What `var_dump` shows: all but the key. */
    public function __debugInfo(): array
    {
        return ['base' => $this->base, 'userAgent' => $this->userAgent];
    }

    /** @throws \InvalidArgumentException for what a header of HTTP cannot carry */
    public static function visible(#[\SensitiveParameter] string $texto, string $nombre): string
    {
        if (preg_match('/^[\x21-\x7e]{1,255}$/D', $texto) !== 1) {
            throw new \InvalidArgumentException(
                "$nombre debe tener de 1 a 255 caracteres visibles, sin espacios ni acentos.",
            );
        }
        return $texto;
    }

    /**
     * Calls an operation. What charges or changes something carries an `Idempotency-Key`, the same one in each try, so
     * that the service does it once and charges it once however often an answer gets lost. The others are read again.
     *
     * @param array<string, mixed> $peticion
     * @return array<string, mixed>
     */
    public function call(string $path, bool $changes, #[\SensitiveParameter] array $peticion, ?string $clave): array
    {
        if ($clave === null && $changes) {
            $clave = bin2hex(random_bytes(16));
        }
        $headers = [
            "Authorization: Bearer $this->llave",
            'Content-Type: application/json',
            // Without it curl asks first whether it may send a long body.
            'Expect:',
            ...($clave === null ? [] : ['Idempotency-Key: ' . self::visible($clave, 'claveIdempotencia')]),
        ];
        $body = json_encode(
            (object) array_filter($peticion, static fn (mixed $value): bool => $value !== null),
            JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION,
        );
        $intento = 0;
        return $this->withRetries(function () use ($path, $headers, $body, &$intento): array {
            $intento += 1;
            $desde = hrtime(true);
            $recibidos = [];
            $http = null;
            $fallo = null;
            try {
                return $this->once($path, $headers, $body, $recibidos, $http);
            } catch (AcuseError $error) {
                $fallo = $error->nombre;
                throw $error;
            } finally {
                $this->registro?->log(
                    $fallo === null ? 'info' : 'warning',
                    '{operacion} intento={intento} http={http} ms={ms} request_id={request_id} error={error}',
                    [
                        'operacion' => $path,
                        'intento' => $intento,
                        'http' => $http,
                        'ms' => (int) round((hrtime(true) - $desde) / 1e6),
                        'request_id' => $recibidos['x-request-id'] ?? null,
                        'limite' => $recibidos['ratelimit'] ?? null,
                        'repetida' => ($recibidos['idempotent-replayed'] ?? '') === 'true',
                        'error' => $fallo,
                    ],
                );
            }
        });
    }

    /**
     * Runs `$attempt` again while what it throws may pass by itself: after the seconds that the service asks for, and a
     * pause drawn between zero and a bound that doubles each time (full jitter), so that clients do not come back
     * together. An earlier try of the same call that still runs is waited for, beside the repetitions.
     *
     * @template T
     * @param \Closure(): T $attempt
     * @return T
     */
    public function withRetries(\Closure $attempt): mixed
    {
        $running = self::RUNNING_MAX;
        for ($pauses = $tries = 0; ; $pauses += 1) {
            try {
                return $attempt();
            } catch (AcuseError $error) {
                if (!$error->esPasajero()) {
                    throw $error;
                }
                $asked = (float) ($error->reintentarEn() ?? 0);
                $bound = min(self::LONGEST_PAUSE, self::FIRST_PAUSE * 2 ** $pauses);
                if ($error->nombre === Errores::IDEMPOTENCIA_EN_CONFLICTO) {
                    if ($running <= 0) {
                        throw $error;
                    }
                    $pause = min($running, max($asked, ($this->azar)() * $bound));
                    $running -= $pause;
                } else {
                    $tries += 1;
                    if ($tries > $this->reintentos || $asked > self::LONGEST_PAUSE) {
                        throw $error;
                    }
                    $pause = $asked + ($this->azar)() * $bound;
                }
                ($this->dormir)($pause);
            }
        }
    }

    /** What every connection has: HTTP and HTTPS only, and no redirection, so that the key goes to nobody else. */
    public function open(string $url): \CurlHandle
    {
        $curl = curl_init($url);
        if (!curl_setopt_array($curl, $this->curl)) {
            throw new \InvalidArgumentException('curl lleva una opción con un valor que no admite: revísela.');
        }
        curl_setopt_array($curl, [
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_USERAGENT => $this->userAgent,
            CURLOPT_NOSIGNAL => true,
        ]);
        return $curl;
    }

    /**
     * @param list<string> $headers
     * @param array<string, string> $received The headers of the answer, by their names in lower case.
     * @param int|null $http Its status.
     * @return array<string, mixed>
     */
    private function once(
        string $path,
        #[\SensitiveParameter] array $headers,
        #[\SensitiveParameter] string $body,
        array &$received,
        ?int &$http,
    ): array {
        $curl = $this->open($this->base . $path);
        curl_setopt_array($curl, [
            CURLOPT_POST => true,
            CURLOPT_POSTFIELDS => $body,
            CURLOPT_HTTPHEADER => $headers,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT_MS => (int) ceil($this->plazo * 1_000),
            CURLOPT_HEADERFUNCTION => static function (\CurlHandle $_, string $line) use (&$received): int {
                [$name, $value] = explode(':', $line, 2) + [1 => ''];
                $received[strtolower($name)] = trim($value);
                return strlen($line);
            },
        ]);
        $texto = curl_exec($curl);
        if (!is_string($texto)) {
            throw self::broken($curl);
        }
        $http = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        $requestId = $received['x-request-id'] ?? null;
        $answer = json_decode($texto, true);
        $answer = is_array($answer) ? $answer : [];
        if (($answer['cfdi_codigo'] ?? null) === 1) {
            return $answer;
        }
        $seconds = $received['retry-after'] ?? '';
        $datos = preg_match('/^\d{1,9}$/D', $seconds) === 1 ? ['reintentar_en' => (int) $seconds] : [];
        if (!is_string($answer['error'] ?? null)) {
            throw new AcuseError(Errores::RESPUESTA_ILEGIBLE, http: $http, datos: $datos, requestId: $requestId);
        }
        throw new AcuseError(
            $answer['error'],
            codigo: $answer['cfdi_codigo'] ?? null,
            texto: $answer['cfdi_texto'] ?? null,
            http: $http,
            datos: ($answer['data'] ?? []) + $datos,
            requestId: $requestId,
        );
    }

    public static function broken(\CurlHandle $curl): AcuseError
    {
        $cause = new \RuntimeException(curl_error($curl), curl_errno($curl));
        return new AcuseError(Errores::SIN_CONEXION, previous: $cause);
    }
}
