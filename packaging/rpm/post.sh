# The user of the services exists from now on, and a recorder that runs becomes the new version. Nothing is enabled.
if command -v systemd-sysusers >/dev/null 2>&1; then
    systemd-sysusers drivelab.conf || :
fi
if [ -d /run/systemd/system ]; then
    systemctl daemon-reload || :
    systemctl try-restart drivelab-trace.service || :
fi
