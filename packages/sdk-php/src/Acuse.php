<?php

declare(strict_types=1);

namespace Acuse;

/** The client of a service: one method an operation, grouped as their paths are, and the whole way of a download. */
final class Acuse extends Operaciones
{
    /** Seconds between looks at a request: at first, and at most, when nothing changes. */
    private const FIRST_LOOK = 1.0;
    private const LAST_LOOK = 30.0;
    private const GROWTH = 1.5;

    private readonly Transport $transport;

    /**
     * @param string $url Address of the service, without `/api/v1`: `https://acuse.example`.
     * @param string $llave API key of the RFC. It belongs on a server.
     * @param string|null $aplicacion Name of your application, told beside that of this package.
     * @param int $reintentos Repetitions of a call that failed for a moment, beside the first try.
     * @param float $plazo Seconds that one try may take; queries wait for the SAT.
     * @param array<int, mixed> $curl Options of every connection, as `[CURLOPT_CAINFO => '/etc/ssl/propia.pem']`: authorities,
     *     client certificate, proxy, or `CURLOPT_SHARE` with connections of your own.
     * @param \Psr\Log\LoggerInterface|null $registro Logs each try of a call (PSR-3): its status, `request_id`, `RateLimit`,
     *     milliseconds and error, and neither key nor body. A try that failed is a warning.
     * @param \Closure(float): void|null $dormir Waits so many seconds between tries and looks, for tests.
     * @param \Closure(): float|null $azar 0 to 1, for tests.
     * @throws \InvalidArgumentException for an address or a key that is none
     */
    public function __construct(
        string $url,
        #[\SensitiveParameter] string $llave,
        ?string $aplicacion = null,
        int $reintentos = 4,
        float $plazo = 150.0,
        array $curl = [],
        ?\Psr\Log\LoggerInterface $registro = null,
        ?\Closure $dormir = null,
        ?\Closure $azar = null,
    ) {
        if (preg_match('~^https?://[^/?#\s]+(/[^?#\s]*)?$~iD', $url) !== 1) {
            throw new \InvalidArgumentException("url debe ser la dirección del servicio, como https://acuse.example, y no '$url'.");
        }
        if ($aplicacion !== null && preg_match('/^[\x20-\x7e]{1,200}$/D', $aplicacion) !== 1) {
            throw new \InvalidArgumentException('aplicacion debe tener de 1 a 200 caracteres, sin acentos: mi-erp/1.0.');
        }
        $this->transport = new Transport(
            base: rtrim($url, '/') . '/api/v1/',
            llave: Transport::visible($llave, 'llave'),
            userAgent: ($aplicacion === null ? '' : "$aplicacion ") . 'acuse-sdk-php/' . self::VERSION,
            reintentos: $reintentos,
            plazo: $plazo,
            dormir: $dormir ?? static fn (float $segundos) => usleep((int) ($segundos * 1e6)),
            azar: $azar ?? static fn (): float => mt_rand() / mt_getrandmax(),
            curl: $curl,
            registro: $registro,
        );
        parent::__construct($this->transport->call(...));
    }

    /**
     * Asks for a download and waits until it has ended, which takes from seconds to days: `tax/descarga-metadata`, then
     * {@see esperar}. The same request made again while it runs is waited for, and not charged again.
     *
     * @param 'emitidos'|'recibidos' $tipo
     * @param 'csv'|'xlsx'|'ndjson'|'parquet'|null $formato
     * @param 'metadata'|'xml'|null $contenido
     * @param 'todos'|'vigente'|'cancelado'|null $estado_comprobante
     * @param 'I'|'E'|'T'|'N'|'P'|null $tipo_comprobante
     * @param list<string>|null $rfc_contraparte
     * @param string|null $complemento Name of the SAT: `pagos20`, `nomina12`…
     * @param callable(array<string, mixed>): void|null $alAvanzar
     * @param callable(AcuseError): void|null $alFallar
     * @throws AcuseError
     */
    public function descargarYEsperar(
        string $rfc,
        string $tipo,
        string $desde,
        string $hasta,
        ?string $formato = null,
        ?string $contenido = null,
        ?bool $tablas = null,
        ?string $estado_comprobante = null,
        ?string $tipo_comprobante = null,
        ?array $rfc_contraparte = null,
        ?string $complemento = null,
        ?bool $capsula = null,
        ?string $claveIdempotencia = null,
        ?float $limite = null,
        ?callable $alAvanzar = null,
        ?callable $alFallar = null,
    ): Descarga {
        $aceptada = $this->tax->descargaMetadata(
            rfc: $rfc,
            tipo: $tipo,
            desde: $desde,
            hasta: $hasta,
            formato: $formato,
            contenido: $contenido,
            tablas: $tablas,
            estado_comprobante: $estado_comprobante,
            tipo_comprobante: $tipo_comprobante,
            rfc_contraparte: $rfc_contraparte,
            complemento: $complemento,
            capsula: $capsula,
            claveIdempotencia: $claveIdempotencia,
        );
        return $this->esperar($aceptada['data']['solicitud_id'], $limite, $alAvanzar, $alFallar);
    }

    /**
     * Asks for the CFDI themselves (`contenido: 'xml'`), waits until the request has ended, and stores its package in a
     * file after a check of its SHA-256. A file that exists is an error, and nothing is charged.
     *
     * @param 'emitidos'|'recibidos' $tipo
     * @param 'csv'|'xlsx'|'ndjson'|'parquet'|null $formato
     * @param 'todos'|'vigente'|'cancelado'|null $estado_comprobante
     * @param 'I'|'E'|'T'|'N'|'P'|null $tipo_comprobante
     * @param list<string>|null $rfc_contraparte
     * @param string|null $complemento Name of the SAT: `pagos20`, `nomina12`…
     * @param callable(array<string, mixed>): void|null $alAvanzar
     * @param callable(AcuseError): void|null $alFallar
     * @param callable(int, int): void|null $alRecibir
     * @throws AcuseError
     * @throws \RuntimeException as {@see guardarPaquete}
     */
    public function descargarCfdi(
        string $ruta,
        string $rfc,
        string $tipo,
        string $desde,
        string $hasta,
        ?string $formato = null,
        ?bool $tablas = null,
        ?string $estado_comprobante = null,
        ?string $tipo_comprobante = null,
        ?array $rfc_contraparte = null,
        ?string $complemento = null,
        ?bool $capsula = null,
        ?string $claveIdempotencia = null,
        ?float $limite = null,
        ?callable $alAvanzar = null,
        ?callable $alFallar = null,
        bool $sobrescribir = false,
        ?callable $alRecibir = null,
    ): DescargaCfdi {
        self::checkPlace($ruta, $sobrescribir);
        $descarga = $this->descargarYEsperar(
            rfc: $rfc,
            tipo: $tipo,
            desde: $desde,
            hasta: $hasta,
            formato: $formato,
            contenido: 'xml',
            tablas: $tablas,
            estado_comprobante: $estado_comprobante,
            tipo_comprobante: $tipo_comprobante,
            rfc_contraparte: $rfc_contraparte,
            complemento: $complemento,
            capsula: $capsula,
            claveIdempotencia: $claveIdempotencia,
            limite: $limite,
            alAvanzar: $alAvanzar,
            alFallar: $alFallar,
        );
        $this->guardarPaquete($descarga->solicitud['solicitud_id'], $ruta, $sobrescribir, $alRecibir);
        return new DescargaCfdi($descarga->solicitud, $descarga->paquete, new PaqueteCfdi($ruta));
    }

    /**
     * Waits until a request has ended, also one that another process made. What fails for a moment is asked again.
     *
     * @param float|null $limite Seconds after which the waiting ends, not the request; for as long as it takes by default.
     * @param callable(array<string, mixed>): void|null $alAvanzar Told after each look. Keep `solicitud_id` of the first
     *     one: by it another process can go on.
     * @param callable(AcuseError): void|null $alFallar Told of a look that failed and will be made again, as while there
     *     is no network.
     * @throws AcuseError `SOLICITUD_SIN_PAQUETE` when it ended without a package, its credit given back;
     *     `SOLICITUD_NO_ENCONTRADA`; `ESPERA_AGOTADA` after `$limite`
     */
    public function esperar(
        string $solicitudId,
        ?float $limite = null,
        ?callable $alAvanzar = null,
        ?callable $alFallar = null,
    ): Descarga {
        $end = $limite === null ? INF : hrtime(true) / 1e9 + $limite;
        $pause = self::FIRST_LOOK;
        $seen = null;
        for (;;) {
            try {
                $solicitud = $this->descarga->verificar(solicitud_id: $solicitudId)['data'];
                if ($alAvanzar !== null) {
                    $alAvanzar($solicitud);
                }
                if ($solicitud['terminada_en'] !== null) {
                    return new Descarga($solicitud, $this->descarga->paquete(solicitud_id: $solicitudId)['data']);
                }
                $looks = [$solicitud['estado'], $solicitud['progreso'], $solicitud['registros']];
                $pause = $looks === $seen ? min($pause * self::GROWTH, self::LAST_LOOK) : self::FIRST_LOOK;
                $seen = $looks;
            } catch (AcuseError $error) {
                if (!$error->esPasajero()) {
                    throw $error;
                }
                if ($alFallar !== null) {
                    $alFallar($error);
                }
                $pause = max($pause, (float) ($error->reintentarEn() ?? 0));
            }
            $left = $end - hrtime(true) / 1e9;
            if ($left <= 0) {
                throw new AcuseError(Errores::ESPERA_AGOTADA, datos: ['motivo' => "solicitud_id $solicitudId"]);
            }
            ($this->transport->dormir)(min($left, $pause * (0.5 + ($this->transport->azar)() / 2)));
        }
    }

    /**
     * Opens the package of a request that has ended; `foreach` gives its bytes, checked by their SHA-256 as they come.
     *
     * @param callable(int, int): void|null $alRecibir Told after each piece: bytes so far, and of the whole package.
     */
    public function abrirPaquete(string $solicitudId, ?callable $alRecibir = null): PaqueteAbierto
    {
        return new PaqueteAbierto(
            $this->transport,
            fn (): array => $this->descarga->paquete(solicitud_id: $solicitudId)['data'],
            $alRecibir === null ? null : $alRecibir(...),
        );
    }

    /**
     * Stores the package of a request that has ended in a file. The file has its name only once it is whole and its
     * SHA-256 is right; when anything fails nothing is left.
     *
     * @param bool $sobrescribir Takes the place of a file that is there; otherwise that is an error.
     * @param callable(int, int): void|null $alRecibir
     * @throws AcuseError
     * @throws \RuntimeException when the file is there, or cannot be written
     */
    public function guardarPaquete(
        string $solicitudId,
        string $ruta,
        bool $sobrescribir = false,
        ?callable $alRecibir = null,
    ): ArchivoGuardado {
        self::checkPlace($ruta, $sobrescribir);
        $paquete = $this->abrirPaquete($solicitudId, $alRecibir);
        $parcial = "$ruta." . bin2hex(random_bytes(8)) . '.parcial';
        $archivo = @fopen($parcial, 'xb');
        if ($archivo === false) {
            throw new \RuntimeException("No se puede escribir $parcial. Revise la carpeta y sus permisos.");
        }
        try {
            foreach ($paquete as $chunk) {
                if (fwrite($archivo, $chunk) !== strlen($chunk)) {
                    throw new \RuntimeException("No se pudo escribir $parcial: puede no quedar espacio.");
                }
            }
            if (!fclose($archivo) || !rename($parcial, $ruta)) {
                throw new \RuntimeException("No se pudo guardar $ruta. Revise la carpeta y sus permisos.");
            }
        } catch (\Throwable $error) {
            @unlink($parcial);
            throw $error;
        }
        return new ArchivoGuardado($ruta, $paquete->bytes, $paquete->sha256);
    }

    private static function checkPlace(string $ruta, bool $sobrescribir): void
    {
        if (!$sobrescribir && file_exists($ruta)) {
            throw new \RuntimeException("Ya existe el archivo $ruta. Bórrelo o dé otro nombre.");
        }
    }
}
