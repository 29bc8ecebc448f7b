# Before the program is removed, and not where a newer one replaces it, its services end and are disabled.
if [ "$1" = 0 ] && command -v systemctl >/dev/null 2>&1; then
    if [ -d /run/systemd/system ]; then
        systemctl stop drivelab-export.timer drivelab-export.service drivelab-trace.service || :
    fi
    systemctl disable --quiet drivelab-export.timer drivelab-trace.service || :
fi
